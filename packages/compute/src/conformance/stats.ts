/** The part of the suite about what a machine uses: what the driver says it measures is there, and moves with its cause. */
import { describe, expect, it } from 'vitest'
import type { Ref } from '../driver.ts'
import type { Subject } from './subject.ts'

const megabyte = 1_000_000
/** Reads so much into memory, and keeps it until its input ends. */
const hoard = `head -c ${100 * megabyte} /dev/zero | tail -c ${100 * megabyte} | (sleep 1000; cat)`

export function describeStats(subject: Subject): void {
  const { driver, needRealShell, ran, value } = subject
  const measured = (ref: Ref) => value(() => driver().stats(ref))
  const patience = { timeout: subject.patienceMs, interval: 200 }

  describe('stats', () => {
    const machine = subject.useMachine()

    it('what is measured is there, no more than there is of it, and what is not is empty', async () => {
      const { measures } = driver().capabilities
      const stats = await measured(machine())
      for (const part of ['processor', 'memory', 'disk', 'network'] as const)
        expect(stats[part] !== null, part).toBe(measures[part])
      expect(stats.cards).toHaveLength(measures.cards ? subject.spec().gpuCount : 0)
      for (const number of numbersOf(stats)) expect(number).toBeGreaterThanOrEqual(0)
      const { cards, disk, memory, processor } = stats
      if (processor) expect(processor.cores).toBeGreaterThan(0)
      if (memory) expect(memory.usedBytes).toBeLessThanOrEqual(memory.limitBytes)
      if (disk) expect(disk.sizeBytes).toBeGreaterThan(0)
      for (const card of cards) {
        expect(card.uuid).not.toBe('')
        expect(card.load).toBeLessThanOrEqual(1)
        expect(card.memoryUsedBytes).toBeLessThanOrEqual(card.memoryBytes)
      }
      expect(new Set(cards.map(({ uuid }) => uuid)).size).toBe(cards.length)
      expect((await measured(machine())).cards.map(({ uuid }) => uuid)).toEqual(cards.map(({ uuid }) => uuid))
    })

    it('processor time is what cpuTime says', async context => {
      if (!driver().capabilities.measures.processor) context.skip('this driver does not measure it')
      const before = await value(() => driver().cpuTime(machine()))
      const { usedMs } = (await measured(machine())).processor!
      expect(Math.abs(usedMs - before)).toBeLessThan(500)
    })

    it('memory grows with what a program takes', async context => {
      needRealShell(context)
      if (!driver().capabilities.measures.memory) context.skip('this driver does not measure it')
      const used = async () => (await measured(machine())).memory!.usedBytes
      const before = await used()
      const command = ['sh', '-c', hoard]
      const program = await value(() => driver().exec(machine(), { command }))
      await expect.poll(used, patience).toBeGreaterThan(before + 80 * megabyte)
      program.close()
      await expect.poll(used, patience).toBeLessThan(before + 50 * megabyte)
    })

    it('the disk grows with what is written', async context => {
      needRealShell(context)
      if (!driver().capabilities.measures.disk) context.skip('this driver does not measure it')
      const used = async () => (await measured(machine())).disk!.usedBytes
      const before = await used()
      await ran(machine(), ['sh', '-c', `head -c ${20 * megabyte} /dev/urandom > /root/large`])
      await expect.poll(used, patience).toBeGreaterThan(before + 15 * megabyte)
    })
  })
}

/** All figures, however deep. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}
