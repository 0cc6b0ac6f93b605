/** The part of the suite about how much a machine has worked, by which an idle one is known. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'

const lookMs = 1_000
/** Processor time that a machine nobody uses may take within `lookMs`. */
const idleMs = 100
const busyMs = 500
/** The kernel counts in steps, and the driver's own programs work meanwhile. */
const fallMs = 40

export function describeWork(subject: Subject): void {
  const { asked, create, driver, enter, ran, running, shell, value } = subject

  describe('processor time', () => {
    it('is a number while it runs where the driver measures it, and a failure otherwise', async () => {
      const ref = await create()
      expect(await asked(() => driver().cpuTime(ref))).toMatchObject({ kind: 'failed' })
      await value(() => driver().start(ref))
      const { processor } = driver().capabilities.measures
      if (processor) expect(await value(() => driver().cpuTime(ref))).toBeGreaterThanOrEqual(0)
      else expect(await asked(() => driver().cpuTime(ref))).toMatchObject({ kind: 'failed' })
      await value(() => driver().stop(ref))
      expect(await asked(() => driver().cpuTime(ref))).toMatchObject({ kind: 'failed' })
    })

    it('grows while a program works, hardly while nobody does anything, and goes on under a new driver', async context => {
      if (!driver().capabilities.measures.processor) context.skip('this driver does not measure it')
      const ref = await running()
      const worked = () => value(() => driver().cpuTime(ref))
      const reader = await shell(ref)
      const settled = await worked()
      await sleep(lookMs)
      const idle = await worked()
      expect(Math.abs(idle - settled)).toBeLessThan(idleMs)

      await enter(reader, 'while :; do :; done &')
      await expect.poll(worked, { timeout: subject.patienceMs }).toBeGreaterThan(idle + busyMs)
      const before = await worked()
      await subject.reopen()
      await expect.poll(worked, { timeout: subject.patienceMs }).toBeGreaterThan(before + busyMs)

      await enter(await shell(ref), 'kill %1')
      const ended = await worked()
      expect(ended).toBeGreaterThan(before)
      await value(() => driver().stop(ref))
      await value(() => driver().start(ref))
      expect(await worked()).toBeLessThan(ended)
    })

    it('does not fall while programs end', async context => {
      if (!driver().capabilities.measures.processor) context.skip('this driver does not measure it')
      const ref = await running()
      const endless = 'timeout 0.05 sh -c "while :; do :; done"'
      let isOver = false
      const ended = ran(ref, ['sh', '-c', `for n in $(seq 20); do ${endless}; done`]).finally(
        () => void (isOver = true),
      )
      let most = 0
      while (!isOver) {
        const ms = await value(() => driver().cpuTime(ref))
        expect(ms).toBeGreaterThan(most - fallMs)
        most = Math.max(most, ms)
      }
      await ended
    })
  })
}
