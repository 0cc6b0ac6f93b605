/** What an administrator wants a GPU to cost, checked before PostgreSQL refuses it. */
import { terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro, moneyText, parseUsd } from '@ingot/contracts/money'

export interface NewPrice {
  readonly hourly: string
  readonly three_months: string
  readonly year: string
}

export interface Amounts {
  readonly hourly: Micro
  readonly three_months: Micro
  readonly year: Micro
}

export function readPrice(price: NewPrice): Amounts {
  const amounts = {
    hourly: parseUsd(price.hourly),
    three_months: parseUsd(price.three_months),
    year: parseUsd(price.year),
  }
  const fields: Record<string, string> = {}
  for (const [name, micro] of Object.entries(amounts)) if (micro === 0n) fields[name] = 'More than nothing'
  for (const [name, term] of [
    ['three_months', terms['3month']],
    ['year', terms['1year']],
  ] as const) {
    const most = amounts.hourly * BigInt(term.hours)
    if (!fields[name] && !fields['hourly'] && amounts[name] > most)
      fields[name] =
        `Its ${term.hours.toLocaleString('en')} hours one by one cost ${moneyText(most)}: not more than that`
  }
  if (Object.keys(fields).length) throw new IngotError('validation_failed', { fields })
  return amounts
}

/** A time that has passed would change what was shown and charged. */
export function assertToCome(holdsFrom: string | undefined, at: string): void {
  if (holdsFrom !== undefined && Date.parse(holdsFrom) < Date.parse(at))
    throw new IngotError('validation_failed', { fields: { holds_from: 'That has passed' } })
}

export const amountTexts = ({ hourly, three_months, year }: Amounts): NewPrice => ({
  hourly: formatUsd(hourly),
  three_months: formatUsd(three_months),
  year: formatUsd(year),
})
