/** The search: a dialog with one field and a list of links. All of it works without the network once it has loaded. */
import { type Hit, loadSearch, type Search } from './engine.ts'

const mostHits = 12
const around = 90
let dialog: HTMLDialogElement | undefined

export async function openSearch(index: string): Promise<void> {
  dialog ??= build(index)
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')!.select()
}

function build(index: string): HTMLDialogElement {
  const made = document.createElement('dialog')
  made.ariaLabel = 'Search'
  made.className =
    'mx-auto mt-16 mb-auto max-h-[70dvh] w-full max-w-prose overflow-y-auto rounded-panel border border-line bg-raised text-ink shadow-float backdrop:bg-scrim'
  made.innerHTML = `
    <form role="search" class="sticky top-0 flex gap-2 border-b border-line bg-raised p-3">
      <input type="search" name="q" aria-label="Search" placeholder="Search the site" autocomplete="off" spellcheck="false"
        role="combobox" aria-expanded="true" aria-autocomplete="list" aria-controls="search-hits"
        class="h-control min-w-0 grow rounded-control border border-line-strong bg-page px-3 text-input">
      <button type="button" class="h-control rounded-control px-3 font-medium hover:bg-hover">Close</button>
    </form>
    <p role="status" class="px-4 pt-3 text-label text-muted">Loading the index …</p>
    <ul id="search-hits" role="listbox" aria-label="Pages found" class="p-2"></ul>`
  document.body.append(made)
  const input = made.querySelector('input')!
  const status = made.querySelector('p')!
  const list = made.querySelector('ul')!
  // The address names the rendering, so what the browser holds of it is right, also without a network.
  const engine = fetch(index, { cache: 'force-cache' })
    .then(response => (response.ok ? response.text() : Promise.reject(new Error(String(response.status)))))
    .then(loadSearch)
  let chosen = 0

  const show = (search: Search) => {
    const query = input.value.trim()
    const hits = search.find(query, mostHits, true)
    status.textContent = !query
      ? 'Type a word. Arrow keys choose, Enter opens.'
      : hits.length
        ? `${hits.length === mostHits ? `The best ${mostHits}` : hits.length} found`
        : `Nothing found for “${query}”.`
    list.replaceChildren(...hits.map((hit, n) => option(hit, query, n)))
    choose(0)
  }
  const choose = (n: number) => {
    const options = [...list.querySelectorAll<HTMLElement>('[role=option]')]
    chosen = Math.max(0, Math.min(n, options.length - 1))
    for (const [at, each] of options.entries()) each.ariaSelected = String(at === chosen)
    const option = options[chosen]
    option?.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', option?.id ?? '')
  }
  const go = () => {
    const link = list.querySelectorAll('a')[chosen]
    if (!link) return
    made.close()
    location.assign(link.href)
  }

  engine.then(
    show,
    () => (status.textContent = 'The index could not be loaded. Try again when you are online.'),
  )
  input.addEventListener('input', () => void engine.then(show, () => {}))
  input.addEventListener('keydown', event => {
    // A search field would only empty itself.
    if (event.key === 'Escape') made.close()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1))
    }
  })
  made.querySelector('form')!.addEventListener('submit', event => {
    event.preventDefault()
    go()
  })
  made.querySelector('button')!.addEventListener('click', () => made.close())
  made.addEventListener('click', event => {
    // A link to this very page only scrolls it: the dialog must not stay in front. A press beside the dialog closes it.
    if (event.target === made || (event.target as Element).closest('a')) made.close()
  })
  return made
}

function option(hit: Hit, query: string, n: number): HTMLElement {
  const item = document.createElement('li')
  item.role = 'presentation'
  const link = document.createElement('a')
  link.id = `search-hit-${n}`
  link.role = 'option'
  link.href = hit.url
  link.tabIndex = -1
  link.className = 'block rounded-control px-3 py-2 aria-selected:bg-selected hover:bg-hover'
  const part = (className: string, text: string) => {
    const element = document.createElement('span')
    element.className = `block ${className}`
    element.textContent = text
    link.append(element)
  }
  part('font-semi', hit.heading)
  if (hit.page !== hit.heading) part('text-label text-muted', hit.page)
  part('text-label text-muted', excerpt(hit.text, query))
  item.append(link)
  return item
}

/** The words around the first word that was asked for. */
function excerpt(text: string, query: string): string {
  const at = query
    .toLowerCase()
    .split(/\s+/)
    .map(word => text.toLowerCase().indexOf(word))
    .find(found => found >= 0)
  // From the beginning of a word on.
  const start = at === undefined || at < around / 2 ? 0 : text.indexOf(' ', at - around / 2) + 1
  const cut = text.slice(start, start + 2 * around)
  return `${start > 0 ? '… ' : ''}${cut}${start + 2 * around < text.length ? ' …' : ''}`
}
