/** Categories of a list as filters: the choice is in the address, and Back undoes it. */
import { chosenCategory, withCategory } from './category.ts'

export function filter(nav: HTMLElement): void {
  const links = [...nav.querySelectorAll<HTMLAnchorElement>('[data-filter]')]
  const ids = links.map(link => link.dataset.filter!)
  // Any number of parts may belong to one category, anywhere on the page.
  const parts = [...document.querySelectorAll<HTMLElement>('[data-category]')]

  function show(): void {
    const chosen = chosenCategory(location.search, ids)
    for (const link of links) {
      if (link.dataset.filter === chosen) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
    for (const part of parts) part.hidden = chosen !== 'all' && part.dataset.category !== chosen
  }

  for (const link of links)
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      history.pushState(null, '', location.pathname + withCategory(location.search, link.dataset.filter!))
      show()
    })
  addEventListener('popstate', show)
  show()
}
