/** A simulated machine's figures as `stats` tells them. The cards' ids say that there are no cards. */
import type { Stats } from '../driver.ts'
import type { MachineFacts } from './facts.ts'
import { cardFigures, diskUsedGib, memory, traffic, wave } from './figures.ts'

const mebibyte = 2 ** 20
const gibibyte = 2 ** 30

/** `writtenBytes`: what was written to its files. Its processor is not measured: simulated work is no work (ADR 9). */
export function statsOf(
  facts: MachineFacts & { readonly instanceId: string },
  writtenBytes: number,
  nowMs: number,
): Stats {
  const { total, used } = memory(facts)
  const breath = 1 + 0.03 * wave(`${facts.instanceId} memory`, nowMs, 180_000)
  return {
    processor: null,
    memory: { usedBytes: Math.round(used * breath * mebibyte), limitBytes: total * mebibyte },
    disk: {
      usedBytes: Math.round(diskUsedGib(facts) * gibibyte) + writtenBytes,
      sizeBytes: facts.storageGb * gibibyte,
    },
    network: {
      receivedBytes: traffic(facts, nowMs, 'received', 900),
      sentBytes: traffic(facts, nowMs, 'sent', 400),
    },
    cards: Array.from({ length: facts.gpuCount }, (_, index) => {
      const { load, memoryUsedMib, memoryMib, celsius, watts } = cardFigures(facts, index, nowMs)
      return {
        uuid: facts.cards?.[index] ?? `GPU-simulated-${facts.instanceId}-${index}`,
        load,
        memoryUsedBytes: Math.round(memoryUsedMib * mebibyte),
        memoryBytes: memoryMib * mebibyte,
        celsius,
        watts,
      }
    }),
  }
}
