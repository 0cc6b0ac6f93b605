/** The machine behind the front page's shell: one H100 as the catalogue sells it, made of nothing. */
import type { MachineFacts } from '@ingot/compute/simulated/facts'

export const tryMachine = (startedAtMs: number): MachineFacts => ({
  name: 'try-it',
  gpuType: 'H100',
  gpuCount: 1,
  gpuMemoryGb: 80,
  cpuCores: 16,
  memoryGb: 180,
  storageGb: 140,
  startedAtMs,
})
