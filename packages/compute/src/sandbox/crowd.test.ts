/**
 * What a tenant can make large costs the control plane no time: many processes, each with the largest environment that
 * the kernel allows. Every call is made while the event loop's delay is measured.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { designsHere, openShell, running, specOf, useDriver, value } from './testing/sandbox.ts'

const processes = 400
/** They share the memory, because none of them becomes another program; each shows all of it as its own. */
const crowd = `
for name in $(seq 15); do export "A$name=$(head -c 131000 /dev/zero | tr '\\0' x)"; done
exec bash -c 'for i in {1..${processes}}; do (trap "" HUP TERM; kill -STOP $BASHPID; kill -STOP $BASHPID) & done; wait'
`

/** The longest that the event loop stood still meanwhile, in ms. */
async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  await sleep(50)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  await sleep(20)
  delay.disable()
  return delay.max / 1e6
}

for (const design of designsHere)
  describe(`a machine by ${design} with all that its tenant can crowd into it`, { timeout: 120_000 }, () => {
    const { dir, driver } = useDriver(design, { maxProcesses: 600 })

    /** The longest delay of each call, for a machine and for another beside it. */
    async function delays(id: string): Promise<Record<string, number>> {
      const beside = `beside-${id}`
      const calls = [
        ['another machine is made', () => driver().create(specOf(beside), beside)],
        ['another machine starts', () => driver().start(beside)],
        ['another machine stops', () => driver().stop(beside)],
        ['another machine is deleted', () => driver().destroy(beside)],
        ['it is looked at', () => driver().observe(id)],
        ['all are listed', () => driver().list()],
        ['its work is measured', () => driver().cpuTime(id)],
        ['it stops', () => driver().stop(id)],
        ['it starts', () => driver().start(id)],
        ['it is deleted', () => driver().destroy(id)],
      ] as const
      const found: Record<string, number> = {}
      for (const [name, call] of calls) found[name] = await longestDelay(() => value<unknown>(call))
      return found
    }

    it('never holds up the control plane, neither while it runs nor while it ends', async () => {
      await running(driver(), 'empty')
      const floor = await delays('empty')

      const ref = await running(driver(), 'crowded')
      const shell = await openShell(driver(), ref)
      writeFileSync(join(dir, 'machines', ref, 'disk/workspace/crowd.sh'), crowd)
      shell.type('bash /workspace/crowd.sh\r')
      const second = await openShell(driver(), ref, 'second')
      const count = async () => Number((await second.run('ls -d /proc/[0-9]* | wc -l')).output)
      await expect.poll(count, { timeout: 60_000, interval: 200 }).toBeGreaterThan(processes)

      const limit = 600 + 4 * Math.max(...Object.values(floor))
      for (const [name, ms] of Object.entries(await delays('crowded'))) {
        console.log(`${name}: ${ms.toFixed(0)} ms, of an empty machine ${floor[name]!.toFixed(0)} ms`)
        expect.soft(ms, name).toBeLessThan(limit)
      }
    })
  })
