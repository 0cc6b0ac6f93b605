/**
 * A control plane that is killed at any point leaves nothing behind and nothing in the way. One in a process of its own
 * dies right after its n-th change to the world outside; then the next one looks, half the time starts the machine anew,
 * and destroys it. The default run takes a sample of the points, the long one takes all; INGOT_CRASHES says how many.
 */
import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createSandboxDriver } from './driver.ts'
import type { Design } from './launch/launch.ts'
import { controlPlane, designsHere, openShell, useDriver, value } from './testing/sandbox.ts'

const ways = [
  ...designsHere.map(design => ({ design, how: '', calls: 'create files start stop start destroy' })),
  ...designsHere
    .filter(design => design === 'unshare')
    .map(design => ({ design, how: ' with a spare', calls: 'spare create start stop start destroy' })),
]
interface Lane extends ReturnType<typeof useDriver> {
  readonly design: Design
  readonly calls: string
}
const sampled = Number(process.env['INGOT_CRASHES'] ?? (process.env['INGOT_LONG_TESTS'] ? 1_000 : 10))

async function play({ dir, design, calls }: Lane, id: string, dieAt: number): Promise<number | null> {
  const [command = '', ...args] = controlPlane(dir, design, id, calls, dieAt)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [printed, said] = ['', '']
  child.stdout.on('data', chunk => (printed += String(chunk)))
  child.stderr.on('data', chunk => (said += String(chunk)))
  await new Promise(resolve => {
    child.on('close', resolve)
  })
  if (child.signalCode === 'SIGKILL') return null
  expect(child.exitCode, said).toBe(0)
  return Number(printed)
}

async function recover({ driver }: Lane, id: string, startAgain: boolean): Promise<void> {
  const { state } = await value(() => driver().observe(id))
  expect(['gone', 'stopped', 'starting', 'running', 'stopping']).toContain(state)
  if (startAgain && state !== 'gone') {
    await value(() => driver().start(id))
    const shell = await openShell(driver(), id)
    expect((await shell.run('whoami')).output).toBe('root')
  }
  await value(() => driver().destroy(id))
  expect(await value(() => driver().observe(id))).toMatchObject({ state: 'gone' })
}

for (const { design, how, calls } of ways)
  describe(`a control plane killed at any point, by ${design}${how}`, () => {
    // Each has machines of its own, as the product lets one control plane alone have those of a folder.
    const lanes = [0, 1].map(() => ({
      ...useDriver(design, { maxMachines: 100, stopGraceMs: 200 }),
      design,
      calls,
    }))

    it('leaves nothing behind and nothing in the way', { timeout: 1_800_000 }, async () => {
      const points = await play(lanes[0]!, 'whole', 0)
      expect(points).toBeGreaterThan(30)
      const every = Math.max(1, Math.floor(Number(points) / sampled))
      const dieAt = Array.from({ length: Math.floor(Number(points) / every) }, (_, at) => 1 + at * every)
      // Two at a time: most of it is waiting.
      const work = dieAt.values()
      await Promise.all(
        lanes.map(async lane => {
          for (const point of work) {
            // A run may take a few changes less than another; it then ends in peace.
            const changes = await play(lane, `at-${point}`, point)
            expect(changes ?? 0).toBeLessThan(point)
            await recover(lane, `at-${point}`, point % 2 === 0)
          }
        }),
      )
      // A spare that nobody can take any more is removed by the next who begins here.
      for (const { dir } of lanes) await (await createSandboxDriver({ dir, design, maxMachines: 1 })).close()
    })
  })
