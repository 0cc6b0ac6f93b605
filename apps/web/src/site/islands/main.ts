/**
 * The only script of a public page. It finds the parts marked `data-island` and loads each one's code when it comes
 * near the viewport. Every page is whole without it.
 */
import { menu } from './menu.ts'

type Island = (element: HTMLElement) => void

const islands: Record<string, () => Promise<Island>> = {
  copy: async () => (await import('./copy.ts')).copy,
  'free-counts': async () => (await import('./free-counts.ts')).freeCounts,
  'system-status': async () => (await import('./system-status.ts')).systemStatus,
  'theme-switch': async () => (await import('./theme-switch.ts')).themeSwitch,
}

const near = new IntersectionObserver(
  entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      near.unobserve(target)
      void islands[target.dataset.island!]?.().then(start => start(target))
    }
  },
  { rootMargin: '200px' },
)

for (const element of document.querySelectorAll('[data-island]')) near.observe(element)
menu()
