import type { AdminCounts } from '@ingot/contracts/admin/overview'
import { formatCount } from '../../../ui/format.ts'
import { orMore, type Pages } from '../../list/use-pages.ts'

type Hits = AdminCounts['users']

/** `1,284`, or `1,000+` where no more are counted. */
export const hitsText = ({ count, is_more }: Hits): string => `${formatCount(count)}${is_more ? '+' : ''}`

/** `50 of 1,284, by spend`. Filters of the tab itself are in no count, so with them only what is here is said. */
export function shownText(
  shown: number,
  list: Pick<Pages, 'hasNextPage'>,
  {
    hits,
    isFiltered,
    by,
  }: { readonly hits?: Hits | undefined; readonly isFiltered: boolean; readonly by: string },
): string {
  const known =
    hits && !isFiltered ? `${formatCount(shown)} of ${hitsText(hits)}` : `${orMore(shown, list)} shown`
  return `${known}, ${by}`
}
