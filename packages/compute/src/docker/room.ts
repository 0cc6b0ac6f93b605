/** How many machines run on the engine, and how many more may: by a number, and by what memory there is. */
import type { Engine } from './engine.ts'
import { labels, type Names } from './names.ts'
import type { EngineFacts } from './probes.ts'

/** What a machine needs at least to come up and be of use, and what stays for everything else. */
const machineBytes = 256 * 2 ** 20
const reservedBytes = 512 * 2 ** 20

export interface Room {
  readonly running: number
  readonly free: number
}

export function createRoom(
  { calls }: Engine,
  names: Names,
  maxMachines: number,
  facts: EngineFacts | null,
): () => Promise<Room> {
  if (!facts) return async () => ({ running: 0, free: 0 })
  const inMemory = Math.max(0, Math.floor((facts.memoryBytes - reservedBytes) / machineBytes))
  const most = Math.min(maxMachines, inMemory)
  return async () => {
    // Of those that run; nothing is asked about the others.
    const all = await calls.listContainers({ filters: { ...names.filter, status: ['running'] } })
    const running = all.filter(({ Labels }) => Labels[labels.instance]).length
    return { running, free: Math.max(0, most - running) }
  }
}
