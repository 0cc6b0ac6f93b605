/** The price that is shown and sent along. Where the service knows another it says so, and that one is shown instead. */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import { useState } from 'react'

/** `is now 5.500000`, of a refusal because the price has changed; null of any other answer. */
export function newPriceIn(error: unknown): Micro | null {
  if (!(error instanceof IngotError) || error.code !== 'price_changed') return null
  const said = /\d+\.\d+$/.exec(error.fields?.['quoted_total'] ?? '')
  return said && parseUsd(said[0])
}

/** `what`: all that the price is of. A price that the service named counts until something of it changes. */
export function useQuote(computed: Micro, what: string) {
  const [named, setNamed] = useState<{ readonly what: string; readonly price: Micro } | null>(null)
  const price = named?.what === what ? named.price : computed
  return {
    price,
    quotedTotal: formatUsd(price),
    /** Whether a refusal named another price: then it is shown from now on. */
    take(error: unknown): boolean {
      const found = newPriceIn(error)
      if (found !== null) setNamed({ what, price: found })
      return found !== null
    },
  }
}
