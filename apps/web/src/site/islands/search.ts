/** The search button and its keys. The dialog, the engine and the index come when first asked for. */
export function search(button: HTMLElement): void {
  const open = async () => {
    const { openSearch } = await import('../search/dialog.ts')
    await openSearch(button.dataset.index ?? '/search.json')
  }
  button.addEventListener('click', () => void open())
  document.addEventListener('keydown', event => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]')
    const asks = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)
    // A page has two buttons; the one that is not shown answers nobody.
    if (!asks || button.offsetParent === null) return
    event.preventDefault()
    void open()
  })
}
