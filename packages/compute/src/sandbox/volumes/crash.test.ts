/**
 * A control plane that is killed at any point leaves each volume and snapshot whole or gone, and nothing mounted. One in
 * a process of its own dies right after its n-th change to the world outside; then the next one makes the same calls to
 * their end. The default run takes a sample of the points, the long one takes all.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { controlPlane, designsHere, isRoot, running, specOf, useDriver, value } from '../testing/sandbox.ts'
import { leftovers } from '../testing/volumes.ts'

const design = 'unshare'
const sampled = Number(process.env['INGOT_CRASHES'] ?? (process.env['INGOT_LONG_TESTS'] ? 1_000 : 3))
/** Of the second, whose start and stop are those of the first. */
const sampledLive = Math.ceil((sampled * 2) / 3)
const calls = 'volume create start stop grow snapshot restore destroy'
const liveCalls = 'disk create start attach close put detach destroy'

describe.skipIf(!isRoot || !designsHere.includes(design))(
  'volumes and a control plane that is killed',
  () => {
    const { dir, driver } = useDriver(design, { maxMachines: 100, stopGraceMs: 200 })
    const volumes = () => driver().volumes
    const tenant = 'a-tenant'
    const with_ = (ref: string) => ({ tenant, volume: { ref, name: 'data', readOnly: false } })

    async function read(id: string, ref: string): Promise<string> {
      const machine = await running(driver(), id, with_(ref))
      const { data } = await value(() => driver().files(machine).read('/volumes/data/file'))
      const content = await text(data)
      await value(() => driver().destroy(machine))
      return content
    }

    async function put(id: string): Promise<string> {
      const { data } = await value(() => volumes().files(id).read('/put'))
      return text(data)
    }

    /** A volume with a file, made in peace. */
    async function prepare(id: string): Promise<void> {
      await value(() => volumes().create({ volumeId: id, tenant, sizeGb: 1 }, id))
      const machine = await running(driver(), `${id}-before`, with_(id))
      const execution = await value(() =>
        driver().exec(machine, { command: ['sh', '-c', `printf %s ${id} > /volumes/data/file`] }),
      )
      for (const output of [execution.stdout, execution.stderr]) output.resume()
      await execution.ended
      await value(() => driver().destroy(machine))
    }

    async function play(id: string, dieAt: number, what = calls): Promise<number | null> {
      const [command = '', ...args] = controlPlane(dir, design, id, what, dieAt)
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const [printed, said] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      if (child.signalCode === 'SIGKILL') return null
      expect(child.exitCode, said).toBe(0)
      return Number(printed)
    }

    it('are whole or gone, and nothing of them is in the way', { timeout: 1_800_000 }, async () => {
      await prepare('whole')
      const points = await play('whole', 0)
      expect(points).toBeGreaterThan(40)
      expect(await read('reader', 'whole-restored')).toBe('whole')
      const every = Math.max(1, Math.floor(Number(points) / sampled))
      for (let point = 1 + Math.floor(every / 2); point <= Number(points); point += every) {
        const id = `at-${point}`
        await prepare(id)
        await play(id, point)
        // What is there is in order, whoever looks first.
        for (const { state, sizeBytes } of (await value(() => volumes().list())).volumes)
          expect([state, sizeBytes > 0]).toEqual([expect.stringMatching(/available|creating/), true])
        expect(await play(id, 0)).not.toBeNull()
        expect(await read('reader', id)).toBe(id)
        expect(await read('reader', `${id}-restored`)).toBe(id)
        await value(() => volumes().destroy(id))
        await value(() => volumes().destroy(`${id}-restored`))
        await value(() => volumes().destroySnapshot(id))
      }
      for (const ref of ['whole', 'whole-restored']) await value(() => volumes().destroy(ref))
      await value(() => volumes().destroySnapshot('whole'))
      expect(await value(() => volumes().list())).toEqual({ volumes: [], snapshots: [] })
      expect(leftovers(dir)).toEqual([])
    })

    it('nor where one was killed that gave them to a machine that runs', { timeout: 1_800_000 }, async () => {
      const played = async (id: string, dieAt: number) => {
        const points = await play(id, dieAt, liveCalls)
        if (points !== null) expect(await put(id)).toBe(id)
        return points
      }
      await prepare('live')
      const points = await played('live', 0)
      expect(points).toBeGreaterThan(20)
      const every = Math.max(1, Math.floor(Number(points) / sampledLive))
      for (let point = 1 + Math.floor(every / 2); point <= Number(points); point += every) {
        const id = `live-${point}`
        await prepare(id)
        await played(id, point)
        expect(await played(id, 0)).not.toBeNull()
        expect(await read('reader', id)).toBe(id)
        // Killed in the middle of it, a destroy is begun anew.
        expect(await play(id, 1 + (point % 4), 'drop')).toBeNull()
        await value(() => volumes().destroy(id))
      }
      await value(() => volumes().destroy('live'))
      expect(await value(() => volumes().list())).toEqual({ volumes: [], snapshots: [] })
      expect(leftovers(dir)).toEqual([])
    })

    it(
      'and one that is killed while a machine runs with it takes nothing off',
      { timeout: 60_000 },
      async () => {
        await prepare('lives')
        const spec = specOf('lives', with_('lives'))
        const [command = '', ...args] = controlPlane(dir, design, 'lives', 'volume create start die')
        await once(spawn(command, args, { stdio: 'ignore' }), 'close')
        expect(await value(() => volumes().observe('lives'))).toMatchObject({ machine: 'lives' })
        expect(await volumes().destroy('lives')).toMatchObject({ failure: 'rejected' })
        const { data } = await value(() => driver().files('lives').read('/volumes/data/file'))
        expect(await text(data)).toBe('lives')
        await value(() => driver().create({ ...spec, volume: null }, 'lives'))
        await value(() => driver().destroy('lives'))
        await value(() => volumes().destroy('lives'))
        expect(leftovers(dir)).toEqual([])
      },
    )
  },
)
