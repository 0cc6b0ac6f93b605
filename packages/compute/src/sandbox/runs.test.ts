/** When and why a run ended: told by its watcher, whatever a tenant does and whoever is away meanwhile. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Driver, Observation } from '../driver.ts'
import { createSandboxDriver } from './driver.ts'
import type { MachineProcess } from './machine-store.ts'
import { designsHere, isRoot, openShell, running, useDriver, value } from './testing/sandbox.ts'

/** Many programs of which none is as large as the keeper, so that the kernel chooses that one. */
const hogs = `
import os, time
for n in range(120):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20)) * 6
        time.sleep(60)
time.sleep(60)
`

for (const design of designsHere)
  describe(`a run of a machine by ${design}`, { timeout: 60_000 }, () => {
    const { dir, driver } = useDriver(design)
    const noted = (ref: string) =>
      JSON.parse(readFileSync(join(dir, 'machines', ref, 'process.json'), 'utf8')) as MachineProcess
    const seen = (ref: string, by: Driver = driver()): Promise<Observation> => value(() => by.observe(ref))
    const ended = async (ref: string, by?: Driver): Promise<Observation> => {
      await expect.poll(async () => (await seen(ref, by)).state, { timeout: 20_000 }).toBe('stopped')
      return seen(ref, by)
    }

    it('is not taken for ended by a server that can open no more files', async () => {
      const ref = await running(driver(), 'no-files')
      const most = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))![1]
      const limit = `prlimit --pid ${process.pid} --nofile`
      const child = spawn('sh', ['-c', `${limit}=8: && sleep 1; ${limit}=${most}:`], { stdio: 'ignore' })
      const isOpen = () => {
        try {
          closeSync(openSync('/dev/null', 'r'))
          return true
        } catch {
          return false
        }
      }
      while (isOpen()) await sleep(10)
      const look = await driver().observe(ref)
      await once(child, 'exit')
      expect(look).toMatchObject({ kind: 'failed', failure: 'transient' })
      expect(await seen(ref)).toMatchObject({ state: 'running', run: { end: null } })
    })

    it.each([
      ['kills everything that it may', 'kill -9 -1', false],
      ['kills the keeper alone', 'kill -9 $(ps -o pid= -C ingot-keeper || pgrep -o node)', false],
      ['uses up the memory', `python3 /workspace/hogs.py`, true],
    ])('that a tenant ends, who %s, lasted as long as it did', async (how, attack, needsLimits) => {
      if (needsLimits && !isRoot) return
      const ref = await running(driver(), `attack-${how.length}`, { memoryGb: 0.25 })
      writeFileSync(join(dir, 'machines', ref, 'disk/workspace/hogs.py'), hogs)
      const shell = await openShell(driver(), ref)
      const before = await seen(ref)
      const worked = performance.now()
      await sleep(300)
      shell.type(`${attack}\r`)
      await new Promise(resolve => {
        shell.stream.once('end', resolve)
      })
      const tookMs = performance.now() - worked
      // Nobody looks for a while, and then somebody else does.
      await sleep(500)
      const later = await createSandboxDriver({ dir, design, maxMachines: 8 })
      // What is left of it may take a while to end.
      const { run } = await ended(ref, later)
      expect(run).toMatchObject({
        id: before.run!.id,
        beganAt: before.run!.beganAt,
        end: { cause: 'inside' },
      })
      expect(run!.end!.at! - before.at).toBeGreaterThan(250)
      if (!needsLimits) expect(run!.end!.at! - before.at).toBeLessThan(tookMs + 250)
      await value(() => later.start(ref))
      const next = await seen(ref)
      expect(next.run).toMatchObject({ end: null })
      expect(next.run!.id).not.toBe(run!.id)
    })

    it('that was asked to end says so, also when it is asked again and after the next driver came', async () => {
      const ref = await running(driver(), 'asked')
      const { run } = await seen(ref)
      await value(() => driver().stop(ref))
      await value(() => driver().stop(ref))
      const later = await createSandboxDriver({ dir, design, maxMachines: 8 })
      const { run: over, at } = await value(() => later.observe(ref))
      expect(over).toMatchObject({ id: run!.id, end: { cause: 'asked' } })
      expect(over!.end!.at).toBeLessThanOrEqual(at)
      expect(over!.end!.at).toBeGreaterThan(run!.beganAt)
    })

    it.skipIf(design === 'bwrap')(
      'whose first process the host kills was ended by the host, at that moment',
      async () => {
        const ref = await running(driver(), 'host-kill')
        const before = await seen(ref)
        process.kill(noted(ref).init!.pid, 'SIGKILL')
        const { run } = await ended(ref)
        expect(run).toMatchObject({ end: { cause: 'host' } })
        expect(run!.end!.at! - before.at).toBeLessThan(1_000)
      },
    )

    it('does not outlive its watcher, and then nobody knows when it ended', async () => {
      const ref = await running(driver(), 'watcher')
      process.kill(noted(ref).launcher!.pid, 'SIGKILL')
      expect((await ended(ref)).run).toMatchObject({ end: { at: null, cause: 'host' } })
    })

    it('from before the host was started again ended with the host', async () => {
      const ref = await running(driver(), 'rebooted')
      const before = noted(ref)
      await value(() => driver().stop(ref))
      const { end: _, ...lost } = { ...noted(ref), bootId: 'another', init: before.init, stopBy: null }
      writeFileSync(join(dir, 'machines', ref, 'process.json'), JSON.stringify({ ...lost, startedAt: 1 }))
      expect(await seen(ref)).toMatchObject({
        state: 'stopped',
        run: { end: { at: null, cause: 'host' } },
      })
    })
  })
