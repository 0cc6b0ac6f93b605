/** Waits for the click that asks for the front page's shell; only then its code is fetched. */
export function tryIt(root: HTMLElement): void {
  const start = root.querySelector<HTMLButtonElement>('[data-start]')!

  async function open(event: Event): Promise<void> {
    const button = (event.target as Element).closest<HTMLElement>('[data-start], [data-command]')
    if (!button) return
    root.removeEventListener('click', open)
    start.textContent = 'Connecting…'
    try {
      const { connect } = await import('./try-shell.ts')
      await connect(root, button.dataset.command)
    } catch {
      start.textContent = 'Not loaded: try again'
      root.addEventListener('click', open)
    }
  }
  root.addEventListener('click', open)
}
