const key = 'ingot-docs-tool'

/** Whoever reads one example with a tool reads the others with it too, on this page and the next. */
export function codeTabs(group: HTMLElement): void {
  const kept = readKept()
  if (kept) choose(group, kept)
  group.addEventListener('change', event => {
    const { value } = event.target as HTMLInputElement
    try {
      localStorage.setItem(key, value)
    } catch {
      // Storage is off: the choice holds for this page.
    }
    for (const other of document.querySelectorAll<HTMLElement>('[data-island=code-tabs]'))
      choose(other, value)
  })
}

function readKept(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function choose(group: HTMLElement, value: string): void {
  const input = group.querySelector<HTMLInputElement>(`input[value="${CSS.escape(value)}"]`)
  if (input) input.checked = true
}
