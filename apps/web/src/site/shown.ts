/** What the server has right now, as every component of a page may ask for it. */
import type { Shown } from '@ingot/contracts/pages'
import { createContext, useContext } from 'react'

export const ShownContext = createContext<Shown | null>(null)

export function useShown(): Shown {
  const shown = useContext(ShownContext)
  if (!shown) throw new Error('Nothing says what is shown')
  return shown
}

/** A text that may name a price. */
export type Words = string | ((shown: Shown) => string)

export const wordsOf = (words: Words, shown: Shown): string =>
  typeof words === 'string' ? words : words(shown)
