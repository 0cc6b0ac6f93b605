import { ThemeSwitch } from '../../ui/ThemeSwitch.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { KitActions } from './KitActions.tsx'
import { KitData } from './KitData.tsx'
import { KitFeedback } from './KitFeedback.tsx'
import { KitFields } from './KitFields.tsx'
import { KitOverlays } from './KitOverlays.tsx'
import { KitTable } from './KitTable.tsx'
import { KitTokens } from './KitTokens.tsx'

/** Every component in every state. Pictures of this screen, in both themes, are the visual test. */
export function KitScreen() {
  return (
    <main className="mx-auto flex max-w-site flex-col gap-12 p-6 max-sm:p-4">
      <PageHeading lead="Every component in every state." actions={<ThemeSwitch legendHidden />}>
        Kit
      </PageHeading>
      <KitActions />
      <KitFields />
      <KitTable />
      <KitData />
      <KitFeedback />
      <KitOverlays />
      <KitTokens />
    </main>
  )
}
