/** How much of this host machines may take: their number, and what one of them may use at most. */
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import type { Card, Host, MachineSpec } from '../driver.ts'
import type { GroupLimits } from './cgroups.ts'

const gibibyte = 2 ** 30
/** What a machine needs at least to come up and be of use, and what stays for everything else. */
const machineBytes = 256 * 2 ** 20
const reservedBytes = 512 * 2 ** 20

/** The rented size or the host's, whichever is smaller: a sandbox rents out more than there is. */
export const limitsOf = (spec: MachineSpec, processes: number): GroupLimits => ({
  cpuCores: Math.min(spec.cpuCores, availableParallelism()),
  memoryBytes: Math.max(machineBytes, Math.min(spec.memoryGb * gibibyte, totalmem())),
  processes,
})

/** This computer, as it is rented out. Memory may be what limits its machines: whoever counts on more would be refused. */
export const hostOf = (
  { running, free }: { readonly running: number; readonly free: number },
  diskBytes: number,
  cards: readonly Card[] | null,
): Host => ({
  // Its disks are in this driver's folder, wherever that goes.
  id: 'here',
  machines: running + free,
  cpuCores: availableParallelism(),
  memoryBytes: totalmem(),
  diskBytes,
  cards,
})

/** Of one that is nobody's yet: no more than any machine will have. */
export const spareLimits = (processes: number): GroupLimits => ({
  cpuCores: availableParallelism(),
  memoryBytes: machineBytes,
  processes,
})

/** How many more machines the host's free memory allows. */
export function roomInMemory(): number {
  const available = /^MemAvailable:\s*(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]
  return Math.max(0, Math.floor((Number(available) * 1024 - reservedBytes) / machineBytes))
}
