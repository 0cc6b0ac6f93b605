/**
 * A control plane that is killed at any point leaves each volume and snapshot whole or gone, and the next one makes the same
 * calls to their end. The default run takes one point on this host, the long one many, and kept by the engine too.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leftovers } from '../../sandbox/testing/volumes.ts'
import { noEngineReason, startEngine, type TestEngine } from '../testing/engine.ts'
import { clientOf, openDocker } from '../testing/machines.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const sampled = Number(process.env['INGOT_CRASHES'] ?? (isLong ? 12 : 1))
const places = isLong ? ['host', 'engine'] : ['host']
const calls = 'create put grow snapshot restore'
const program = join(import.meta.dirname, '../testing/control-plane.ts')

describe.skipIf(reason)('volumes of containers and a control plane that is killed', () => {
  it.each(places)('kept by the %s', { timeout: 600_000 }, async where => {
    const { dir, docker, value } = await openDocker(engine, {
      installation: `crash-${where}`,
      ...(where === 'engine' ? { noHostVolumes: 'it is tried without' } : {}),
    })
    const volumes = docker.volumes!

    /** Null: it was killed. */
    async function play(id: string, dieAt = 0): Promise<number[] | null> {
      const args = [program, engine.address, dir, where, id, calls, String(dieAt)]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const [printed, said] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      if (child.signalCode === 'SIGKILL') return null
      expect(child.exitCode, said).toBe(0)
      return printed.trim().split(' ').map(Number)
    }
    const get = async (ref: string) => text((await value(() => volumes.files(ref).read('/file'))).data)

    const [from = 0, to = 0] = (await play('whole'))!
    expect(to - from).toBeGreaterThan(15)
    expect(await get('whole-back')).toBe('whole')
    const every = (to - from) / sampled
    for (let at = from + every / 3; at <= to; at += every) {
      const id = `at-${Math.round(at - from)}`
      expect(await play(id, Math.round(at))).toBeNull()
      for (const { state, sizeBytes } of (await value(() => volumes.list())).volumes)
        expect([state, sizeBytes > 0]).toEqual([expect.stringMatching(/available|creating/), true])
      expect(await play(id)).not.toBeNull()
      for (const ref of [id, `${id}-back`]) expect(await get(ref)).toBe(id)
    }
    const all = await value(() => volumes.list())
    for (const { ref } of all.volumes) await value(() => volumes.destroy(ref))
    for (const { ref } of all.snapshots) await value(() => volumes.destroySnapshot(ref))
    expect(await value(() => volumes.list())).toEqual({ volumes: [], snapshots: [] })
    expect(leftovers(dir)).toEqual([])
    const { Volumes } = await clientOf(engine).listVolumes({
      filters: { label: [`ingot.installation=crash-${where}`, 'ingot.part'] },
    })
    expect(Volumes ?? []).toEqual([])
  })
})
