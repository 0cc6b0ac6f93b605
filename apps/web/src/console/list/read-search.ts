/** What a list reads from its address. Anything unknown counts as absent. */
import { isId, maxSearchText } from '@ingot/contracts/operation'
import type { SearchText } from './search-state.ts'

export const readSearchText = (search: SearchText): string => (search['search'] ?? '').slice(0, maxSearchText)

export const readOne = <Value extends string>(
  known: readonly Value[],
  value: string | undefined,
): Value | undefined => known.find(each => each === value)

export const readId = (value: string | undefined): string | undefined =>
  value && isId(value) ? value : undefined
