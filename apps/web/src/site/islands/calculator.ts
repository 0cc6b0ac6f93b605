/** The calculator of /pricing: the same arithmetic that charges, the page's prices, and the choice kept in the address. */
import { type PricedGpu, terms } from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import { formatMoney } from '../../ui/format.ts'
import { type Choice, costs, readChoice, termNote, writeChoice } from '../pricing/calculator.ts'

const labels = { hourly: 'On demand', '3month': terms['3month'].label, '1year': terms['1year'].label }

export function calculator(element: HTMLElement): void {
  const form = element.querySelector('form')!
  const gpus = JSON.parse(element.dataset.gpus!) as PricedGpu[]
  const put = (root: Element, selector: string, text: string) => {
    root.querySelector(selector)!.textContent = text
  }

  function show(choice: Choice): void {
    const result = costs(choice, gpus)
    const { gpu, count, hours, system, data } = choice
    put(
      element,
      '[data-summary]',
      `${hours.toLocaleString('en-US')} hours of ${count} × ${gpu}, with ${system + data} GB of disk`,
    )
    for (const row of element.querySelectorAll<HTMLElement>('[data-period]')) {
      const period = row.dataset.period as keyof typeof labels
      put(row, '[data-total]', formatMoney(formatUsd(result.total[period])))
      if (period !== 'hourly') put(row, '[data-note]', termNote(result, period, hours))
      row.toggleAttribute('aria-current', false)
      if (period === result.cheapest) row.setAttribute('aria-current', 'true')
    }
    put(
      element,
      '[data-spoken]',
      `${labels[result.cheapest]} costs least for these hours: ${formatMoney(formatUsd(result.total[result.cheapest]))}.`,
    )
    put(element, '[data-hourly]', formatMoney(formatUsd(result.hourly), { decimals: 6 }))
  }

  function fill(choice: Choice): void {
    for (const [name, value] of Object.entries(choice))
      (form.elements.namedItem(name) as HTMLInputElement).value = String(value)
    show(choice)
  }

  const fromAddress = () => readChoice(new URLSearchParams(location.search), gpus)
  form.addEventListener('submit', event => event.preventDefault())
  form.addEventListener('input', () => {
    if (!form.checkValidity()) return
    const typed = new URLSearchParams(new FormData(form) as unknown as Record<string, string>)
    const choice = readChoice(typed, gpus)
    history.replaceState(null, '', `?${String(writeChoice(choice, gpus))}`.replace(/\?$/, location.pathname))
    show(choice)
  })
  form.addEventListener('change', () => form.reportValidity())
  addEventListener('popstate', () => fill(fromAddress()))
  fill(fromAddress())
}
