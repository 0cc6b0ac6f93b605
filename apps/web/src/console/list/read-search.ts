/** What a list reads from its address. Anything unknown counts as absent. */
import type { SearchText } from './search-state.ts'

/** Letters in a search, in the box as in the address. */
export const longestSearch = 100

export const readSearchText = (search: SearchText): string => (search['search'] ?? '').slice(0, longestSearch)

export const readOne = <Value extends string>(
  known: readonly Value[],
  value: string | undefined,
): Value | undefined => known.find(each => each === value)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const readId = (value: string | undefined): string | undefined =>
  value && uuid.test(value) ? value : undefined
