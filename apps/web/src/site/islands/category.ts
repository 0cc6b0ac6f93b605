/** The category that an address chooses, and the address that chooses a category. */
const key = 'category'

/** `all` for none and for one that does not exist. */
export function chosenCategory(search: string, known: readonly string[]): string {
  const named = new URLSearchParams(search).get(key) ?? 'all'
  return known.includes(named) ? named : 'all'
}

export function withCategory(search: string, category: string): string {
  const params = new URLSearchParams(search)
  if (category === 'all') params.delete(key)
  else params.set(key, category)
  const text = params.toString()
  return text && `?${text}`
}
