const shownMs = 2000

/** The system's share sheet where there is one, else the page's address is copied. */
export function share(button: HTMLElement): void {
  const label = button.textContent
  const say = (text: string) => {
    button.textContent = text
    setTimeout(() => (button.textContent = label), shownMs)
  }
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    const page = { title: document.title, url: location.origin + location.pathname }
    try {
      if ('share' in navigator) return await navigator.share(page)
      await (navigator as Navigator).clipboard.writeText(page.url)
      say('Link copied')
    } catch (error) {
      // Closing the sheet is no failure.
      if ((error as Error).name !== 'AbortError') say('Not copied: take the address above')
    }
  })
}
