/** What the islands read of the public catalogue. Asked once a page, however many islands want it. */
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog'

interface Answer<T> {
  readonly items: readonly T[]
  /** When the service answered. */
  readonly at: Date
}

const once = new Map<string, Promise<unknown>>()

function get<T>(path: string): Promise<Answer<T>> {
  const asked = once.get(path) ?? request(path)
  once.set(path, asked)
  return asked as Promise<Answer<T>>
}

async function request(path: string): Promise<Answer<unknown>> {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const { items } = (await response.json()) as { items: unknown[] }
  return { items, at: new Date(response.headers.get('date') ?? Date.now()) }
}

export const listGpus = () => get<GpuEntry>('/v1/gpus')
export const listRegions = () => get<RegionEntry>('/v1/regions')
