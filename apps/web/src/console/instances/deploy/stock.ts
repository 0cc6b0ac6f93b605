/** Where a GPU can be placed now, for one choice of region and count. */
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { formatCount } from '../../../ui/format.ts'

export type Stock =
  | { readonly kind: 'here'; readonly free: number }
  /** Too few in the region; the one that has the most. */
  | {
      readonly kind: 'elsewhere'
      readonly free: number
      readonly region: string
      readonly freeThere: number
    }
  | { readonly kind: 'nowhere'; readonly free: number }

export function stockOf(
  { free, largest }: Pick<GpuEntry, 'free' | 'largest'>,
  region: string,
  count: number,
  regions: readonly Pick<RegionEntry, 'id' | 'available'>[],
): Stock {
  const here = free[region] ?? 0
  if ((largest[region] ?? 0) >= count) return { kind: 'here', free: here }
  const [best] = regions
    .filter(({ id, available }) => available && id !== region && (largest[id] ?? 0) >= count)
    .toSorted((a, b) => (free[b.id] ?? 0) - (free[a.id] ?? 0))
  if (!best) return { kind: 'nowhere', free: here }
  return { kind: 'elsewhere', free: here, region: best.id, freeThere: free[best.id] ?? 0 }
}

const amount = (free: number, gpu: string): string =>
  free === 0 ? `No ${gpu} free` : `Only ${formatCount(free)} ${gpu} free`

/** The thing, the number, the way out; null when it can be placed. */
export function stockText(stock: Stock, gpu: string, region: string): string | null {
  if (stock.kind === 'elsewhere')
    return `${amount(stock.free, gpu)} in ${region}. ${formatCount(stock.freeThere)} free in ${stock.region}, same price.`
  if (stock.kind === 'nowhere')
    return `${amount(stock.free, gpu)} in ${region}, and not enough in any other region. Choose another GPU or fewer of them, or wait in the queue.`
  return null
}
