/**
 * A machine gets other cards, on a real engine with a stand-in for the program by which NVIDIA puts cards into containers:
 * no card was at hand. What the engine was asked for is seen in the container; that a card is there is not.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineCards } from './cards.ts'
import { openEngine } from './engine.ts'
import { namesOf } from './names.ts'
import { createMadeAnew } from './made-anew.ts'
import { noEngineReason, startEngine, type TestEngine } from './testing/engine.ts'
import { clientOf, openDocker } from './testing/machines.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
const dir = mkdtempSync(join(tmpdir(), 'ingot-hook-'))
const path = process.env['PATH']
let engine: TestEngine
beforeAll(async () => {
  if (reason !== null) return
  // The engine looks for it when it starts.
  writeFileSync(join(dir, 'nvidia-container-runtime-hook'), '#!/bin/sh\ncat > /dev/null\n', { mode: 0o755 })
  process.env['PATH'] = `${dir}:${path}`
  engine = await startEngine()
}, 180_000)
afterAll(async () => {
  process.env['PATH'] = path
  await engine?.discard()
  rmSync(dir, { recursive: true })
}, 60_000)

const uuids = [0, 1, 2].map(n => `GPU-5a8b0000-0000-0000-0000-00000000000${n}`) as [string, string, string]
const cards: EngineCards = {
  way: 'nvidia',
  list: async () => uuids.map(uuid => ({ uuid, model: 'NVIDIA A40', memoryBytes: 48 * 2 ** 30 })),
}

describe.skipIf(reason)('a machine with real cards', { timeout: 120_000 }, () => {
  it('whose image has as many layers as it may gets a disk of one layer, with all that was in it', async () => {
    const { running, ran, driver, value } = await openDocker(engine, { installation: 'layers', cards })
    const own = openEngine({ address: engine.address })
    const ref = await running({ gpuCount: 1, cards: [uuids[0]] })
    await ran(ref, ['sh', '-c', 'echo kept > /root/kept; chown 1234:5678 /root/kept; chmod 640 /root/kept'])
    await value(() => driver().stop(ref))
    const container = own.calls.getContainer(`ingot-layers-${ref}`)
    const layers = async () =>
      (await own.calls.getImage((await container.inspect()).Image).inspect()).RootFS.Layers!.length
    for (const [most, wanted] of [
      [2, 2],
      [2, 1],
    ] as const) {
      const known = await container.inspect()
      await createMadeAnew(own, namesOf('layers'), most).give(ref, known, {})
      expect(await layers()).toBe(wanted)
    }
    await value(() => driver().start(ref))
    expect((await ran(ref, ['sh', '-c', 'cat /root/kept; stat -c "%u %g %a" /root/kept'])).stdout).toBe(
      'kept\n1234 5678 640\n',
    )
    await value(() => driver().destroy(ref))
  })

  it('has those that it was allotted at each start, and its disk; also when the change was cut off', async () => {
    const { running, ran, driver, value, docker, spec, held } = await openDocker(engine, {
      installation: 'cards',
      cards,
    })
    expect(docker.capabilities.hardware).toBe('real')
    expect(await value(() => driver().inventory())).toMatchObject([{ cards: uuids.map(uuid => ({ uuid })) }])
    const ref = await running({ gpuCount: 1, cards: [uuids[0]] })
    const calls = clientOf(engine)
    const container = (name: string) => calls.getContainer(`ingot-cards-${name}`)
    const wanted = async () => {
      const { HostConfig } = await container(ref).inspect()
      return HostConfig.DeviceRequests?.flatMap(({ DeviceIDs }) => DeviceIDs)
    }
    const startWith = async (uuid: string) => {
      await value(() => driver().create({ ...spec(), instanceId: ref, gpuCount: 1, cards: [uuid] }, ref))
      await value(() => driver().start(ref))
      expect(await wanted()).toEqual([uuid])
      return (await ran(ref, ['cat', '/root/kept'])).stdout
    }
    expect(await wanted()).toEqual([uuids[0]])
    await ran(ref, ['sh', '-c', 'echo one > /root/kept'])
    await value(() => driver().stop(ref))
    expect(await startWith(uuids[1])).toBe('one\n')
    await ran(ref, ['sh', '-c', 'echo two >> /root/kept'])
    await value(() => driver().stop(ref))
    // With the same ones it is the same container.
    const { Id } = await container(ref).inspect()
    expect(await startWith(uuids[1])).toBe('one\ntwo\n')
    expect((await container(ref).inspect()).Id).toBe(Id)
    await value(() => driver().stop(ref))

    // Killed before the former was removed: what lies beside it is nobody's machine.
    const { Image, HostConfig, Config } = await container(ref).inspect()
    const stray = { Image, HostConfig, Labels: Config.Labels, Cmd: ['true'], Entrypoint: ['true'] }
    await calls.createContainer({ ...stray, name: `ingot-cards-${ref}-beside` })
    expect([...(await held()).keys()]).toEqual([ref])
    expect(await startWith(uuids[2])).toBe('one\ntwo\n')
    await value(() => driver().stop(ref))
    // Killed after that: the other one is the machine, and gets its name.
    await container(ref).rename({ name: `ingot-cards-${ref}-beside` })
    expect([...(await held()).keys()]).toEqual([ref])
    expect(await startWith(uuids[2])).toBe('one\ntwo\n')
    expect(await driver().create({ ...spec(), instanceId: ref, gpuCount: 1, cards: [] }, ref)).toMatchObject({
      failure: 'transient',
    })

    await value(() => driver().destroy(ref))
    expect((await calls.listContainers({ all: true })).map(({ Names }) => Names)).toEqual([])
    const images = await calls.listImages({ all: true })
    expect(
      images.flatMap(({ RepoTags }) => RepoTags ?? []).filter(tag => tag.startsWith('ingot-disk')),
    ).toEqual([])
  })
})
