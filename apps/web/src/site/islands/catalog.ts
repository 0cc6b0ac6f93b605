/** What the floor board reads of the public catalogue. */
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'

interface Answer<T> {
  readonly items: readonly T[]
  /** When the service answered. */
  readonly at: Date
}

async function get<T>(path: string): Promise<Answer<T>> {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const { items } = (await response.json()) as { items: T[] }
  return { items, at: new Date(response.headers.get('date') ?? Date.now()) }
}

export const listGpus = () => get<GpuEntry>('/v1/gpus')
export const listRegions = () => get<RegionEntry>('/v1/regions')
