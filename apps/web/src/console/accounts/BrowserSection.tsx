import { ThemeSwitch } from '../../ui/ThemeSwitch.tsx'
import { SingleKeys } from '../shell/SingleKeys.tsx'
import { Section } from './Section.tsx'

export function BrowserSection() {
  return (
    <Section id="browser" lead="Kept in this browser, and in effect at once.">
      <ThemeSwitch />
      <SingleKeys />
    </Section>
  )
}
