/**
 * What a simulated machine uses: an idle one, whose figures move a little. Made of the machine and the clock alone, so
 * that whoever looks at one time sees the same, and what `free`, `top` and `nvidia-smi` print agrees with it.
 */
import type { MachineFacts } from './facts.ts'

/** The figures that `nvidia-smi` shows as total memory. An A40 reports less than its 48 GB, because ECC takes some. */
export const gpuMemoryMib: Readonly<Record<string, number>> = {
  'RTX 4090': 24_576,
  A40: 48_128,
  'A100 40GB': 40_960,
  V100: 32_768,
  'RTX 3090': 24_576,
  'A100 80GB': 81_920,
  H100: 81_920,
  A6000: 49_152,
  L4: 24_576,
  T4: 16_384,
}

const powerCapWatts: Readonly<Record<string, number>> = {
  'RTX 4090': 450,
  A40: 300,
  'A100 40GB': 400,
  V100: 300,
  'RTX 3090': 350,
  'A100 80GB': 400,
  H100: 700,
  A6000: 300,
  L4: 72,
  T4: 70,
}
const otherPowerCapWatts = 300

/** MiB. A small fixed part is in use, as on a machine that has just started. */
export function memory(facts: MachineFacts) {
  const total = facts.memoryGb * 1_024
  const used = Math.round(Math.min(total / 2, 400 + total * 0.01))
  const cache = Math.round(total * 0.04)
  return { total, used, cache, free: total - used - cache, shared: 8, available: total - used }
}

export const diskUsedGib = ({ storageGb }: MachineFacts): number => Math.min(11, storageGb / 4)

/** The index sets temperature and draw a little apart, as no two cards of a machine are alike. */
export function cardFigures(facts: MachineFacts, index: number, nowMs: number) {
  const capWatts = powerCapWatts[facts.gpuType] ?? otherPowerCapWatts
  const memoryMib = gpuMemoryMib[facts.gpuType] ?? facts.gpuMemoryGb * 1_024
  const name = `${seedOf(facts)} card ${index}`
  const load = 0.02 + 0.02 * wave(`${name} load`, nowMs, 90_000)
  return {
    load,
    memoryMib,
    memoryUsedMib: memoryMib * (0.006 + 0.002 * wave(`${name} memory`, nowMs, 600_000)),
    celsius: 29 + ((index * 2) % 7) + 1.5 * wave(`${name} heat`, nowMs, 420_000),
    watts: capWatts * (0.07 + 0.2 * load) + ((index * 3) % 5),
    capWatts,
  }
}

/** What has come or gone since the start at about `rate` bytes a second; it never falls. */
export function traffic(facts: MachineFacts, nowMs: number, direction: string, rate: number): number {
  const periodMs = 300_000
  const turn = (2 * Math.PI) / periodMs
  const at = Math.max(0, nowMs - facts.startedAtMs)
  const phase = phaseOf(`${seedOf(facts)} ${direction}`)
  // The integral of a rate that swings between a fifth and nine fifths of `rate`.
  const swung = (0.8 / turn) * (Math.cos(phase) - Math.cos(at * turn + phase))
  return Math.floor((rate * (at + swung)) / 1_000)
}

const seedOf = ({ instanceId, name }: MachineFacts) => instanceId ?? name

/** Between -1 and 1, and back within `periodMs`; each name is elsewhere on the way. */
export const wave = (name: string, nowMs: number, periodMs: number): number =>
  Math.sin(((nowMs % periodMs) / periodMs) * 2 * Math.PI + phaseOf(name))

/** FNV-1a, as an angle. */
function phaseOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ((hash >>> 0) / 2 ** 32) * 2 * Math.PI
}
