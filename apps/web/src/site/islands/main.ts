/**
 * The only script of a public page. It finds the parts marked `data-island` and loads each one's code when it comes
 * near the viewport; what was done to it before is done then (early.ts). Every page is whole without it.
 */
import { doEarly, hasEarly } from './early.ts'
import { forwardLink } from './forward-link.ts'
import { menu } from './menu.ts'

type Island = (element: HTMLElement) => void

const islands: Record<string, () => Promise<Island>> = {
  'code-tabs': async () => (await import('./code-tabs.ts')).codeTabs,
  search: async () => (await import('./search.ts')).search,
  share: async () => (await import('./share.ts')).share,
  'by-session': async () => (await import('./by-session.ts')).bySession,
  calculator: async () => (await import('./calculator.ts')).calculator,
  'count-up': async () => (await import('./count-up.ts')).countUp,
  filter: async () => (await import('./filter.ts')).filter,
  form: async () => (await import('./form.ts')).form,
  status: async () => (await import('./status.ts')).status,
  token: async () => (await import('./token.ts')).token,
  'try-it': async () => (await import('./try-it.ts')).tryIt,
  copy: async () => (await import('./copy.ts')).copy,
  'free-counts': async () => (await import('./free-counts.ts')).freeCounts,
  'system-status': async () => (await import('./system-status.ts')).systemStatus,
  'theme-switch': async () => (await import('./theme-switch.ts')).themeSwitch,
}

function start(part: HTMLElement): void {
  void islands[part.dataset.island!]?.().then(island => {
    island(part)
    doEarly(part)
  })
}

const near = new IntersectionObserver(
  entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      near.unobserve(target)
      start(target)
    }
  },
  { rootMargin: '200px' },
)

for (const part of document.querySelectorAll<HTMLElement>('[data-island]'))
  // Whoever did something to it may have scrolled on.
  if (hasEarly(part)) start(part)
  else near.observe(part)
menu()
forwardLink()
if (location.search.startsWith('?account=')) void import('./goodbye.ts').then(module => module.goodbye())
