const shownMs = 2000

/** Copies `data-copy`, or the code it stands over, and says so for two seconds. */
export function copy(button: HTMLElement): void {
  const label = button.textContent
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(
        button.dataset.copy ?? button.closest('figure')?.querySelector('pre')?.textContent ?? '',
      )
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not copied: select the text'
    }
    setTimeout(() => (button.textContent = label), shownMs)
  })
}
