/** Counts the figures of a list up to what they say, once, when a tenth of it is seen. A wish for less motion is respected. */
import { figureAt } from './figure.ts'

const durationMs = 2000
const steps = 60

export function countUp(list: HTMLElement): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const seen = new IntersectionObserver(
    entries => {
      if (!entries.some(entry => entry.isIntersecting)) return
      seen.disconnect()
      for (const element of list.querySelectorAll<HTMLElement>('[data-count]')) run(element)
    },
    { threshold: 0.1 },
  )
  seen.observe(list)
}

function run(element: HTMLElement): void {
  const final = element.textContent
  let step = 0
  const timer = setInterval(() => {
    step++
    element.textContent = figureAt(final, step / steps)
    if (step === steps) clearInterval(timer)
  }, durationMs / steps)
}
