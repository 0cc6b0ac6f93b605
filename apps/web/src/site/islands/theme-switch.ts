import { onThemeChange, readTheme, setTheme, themes } from '../../ui/theme.ts'

export function themeSwitch(element: HTMLElement): void {
  const inputs = [...element.querySelectorAll('input')]
  const show = () => {
    for (const input of inputs) input.checked = input.value === readTheme()
  }
  element.addEventListener('change', () => {
    const chosen = themes.find(theme => theme === inputs.find(input => input.checked)?.value)
    if (chosen) setTheme(chosen)
  })
  onThemeChange(show)
  show()
}
