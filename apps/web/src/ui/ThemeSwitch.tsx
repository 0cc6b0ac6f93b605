import { RadioGroup } from './RadioGroup.tsx'
import { type Theme, themes } from './theme.ts'
import { useTheme } from './use-theme.ts'

const names: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

export function ThemeSwitch({ legendHidden = false }: { readonly legendHidden?: boolean }) {
  const [theme, setTheme] = useTheme()
  return (
    <RadioGroup
      legend="Theme"
      legendHidden={legendHidden}
      layout="segments"
      value={theme}
      onValueChange={setTheme}
      options={themes.map(value => ({ value, label: names[value] }))}
    />
  )
}
