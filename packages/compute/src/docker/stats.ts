/** What a machine uses now, by the engine's own figures. */
import type { ContainerStats } from 'dockerode'
import type { Stats } from '../driver.ts'

/** Processor time of this run; the engine counts it anew with each start. */
export const usedMs = (stats: ContainerStats): number | null => {
  const used = stats.cpu_stats?.cpu_usage?.total_usage
  return typeof used === 'number' ? used / 1e6 : null
}

export function statsOf(stats: ContainerStats, cores: number, limitBytes: number, ownMs: number): Stats {
  const used = usedMs(stats)
  const networks = Object.values(stats.networks ?? {})
  const sum = (part: 'rx_bytes' | 'tx_bytes') => networks.reduce((all, network) => all + network[part], 0)
  return {
    processor: used === null ? null : { usedMs: Math.max(0, used - ownMs), cores },
    memory: memoryOf(stats, limitBytes),
    // Looking through all that a customer has written would be the only way to tell.
    disk: null,
    network: { receivedBytes: sum('rx_bytes'), sentBytes: sum('tx_bytes') },
    cards: [],
  }
}

/** Without what the kernel keeps of files and gives back at once. */
function memoryOf({ memory_stats }: ContainerStats, limitBytes: number): Stats['memory'] {
  const { usage, stats } = memory_stats ?? {}
  if (typeof usage !== 'number') return null
  // The names differ between the two versions of control groups.
  const cached: number = stats?.inactive_file ?? stats?.total_inactive_file ?? 0
  return { usedBytes: Math.max(0, usage - cached), limitBytes }
}
