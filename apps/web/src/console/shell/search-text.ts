/**
 * What stands after the `?` is plain text, as people and other pages write it: `?deploy=1` is read and written as
 * `deploy=1`. The router's own way is JSON, which would turn it into `deploy=%221%22`.
 */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text))

/** Keys without a value are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([key, value]) =>
      value === undefined || value === null || value === '' ? [] : [[key, String(value)]],
    ),
  ).toString()
  return text && `?${text}`
}
