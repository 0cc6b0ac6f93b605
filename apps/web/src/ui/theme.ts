/** Light, dark, or as the system says. The choice is kept in this browser; no React, so public pages use it too. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Inline in the head of every page, before the first paint. Its hash stands in the content security policy. */
export const themeScript = `{let t;try{t=localStorage.theme}catch{}document.documentElement.dataset.theme=/^(light|dark)$/.test(t)?t:'system'}`

export const readTheme = (): Theme =>
  (document.documentElement.dataset.theme as Theme | undefined) ?? 'system'

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem('theme', theme)
  } catch {
    // Storage is refused: the choice lasts for this page.
  }
  window.dispatchEvent(new Event('themechange'))
}

/** Calls back after a change here or in another tab; returns the way to stop. */
export function onThemeChange(changed: () => void): () => void {
  window.addEventListener('themechange', changed)
  window.addEventListener('storage', fromOtherTab)
  return () => {
    window.removeEventListener('themechange', changed)
    window.removeEventListener('storage', fromOtherTab)
  }
}

function fromOtherTab(event: StorageEvent): void {
  if (event.key === 'theme') setTheme(themes.find(theme => theme === event.newValue) ?? 'system')
}
