/** What only volumes of containers can show, on a real engine: as file systems of this host, and as volumes of the engine. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ref } from '../../driver.ts'
import { createDockerDriver } from '../driver.ts'
import { noEngineReason, startEngine, type TestEngine, testImage } from '../testing/engine.ts'
import { clientOf, type Opened, openDocker } from '../testing/machines.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

const tenant = 'ada'
const data = (ref: Ref, readOnly = false) => ({ ref, name: 'data', readOnly })

let opens = 0
async function opened(options: Parameters<typeof openDocker>[1] = {}) {
  const installation = options.installation ?? `own-${++opens}`
  const all = await openDocker(engine, { ...options, installation })
  const volumes = () => all.docker.volumes!
  return {
    ...all,
    installation,
    volumes,
    make: (key: string) => all.value(() => volumes().create({ volumeId: key, tenant, sizeGb: 1 }, key)),
    put: (ref: Ref, path: string, content: string) =>
      all.value(() =>
        volumes()
          .files(ref)
          .write(path, Readable.from([Buffer.from(content)])),
      ),
    get: async (ref: Ref, path: string) =>
      text((await all.value(() => volumes().files(ref).read(path))).data),
    said: async (machine: Ref, script: string) =>
      (await all.ran(machine, ['sh', '-c', script])).stdout.trim(),
    /** Its spec of the next start. */
    change: async ({ spec }: Pick<Opened, 'spec'>, machine: Ref, volume: ReturnType<typeof data> | null) =>
      all.value(() =>
        all.driver().create({ ...spec(), instanceId: machine, tenant, image: testImage, volume }, machine),
      ),
  }
}

describe.skipIf(reason)('volumes of containers', { timeout: 120_000 }, () => {
  it('nothing that an instance has of its own is hidden, and it starts again without or by another name', async () => {
    const docker = await opened()
    const { driver, running, settled, value, said, volumes } = docker
    const ref = await docker.make('hides')
    const machine = await running({ tenant })
    await said(machine, 'mkdir -p /volumes/data; echo mine > /volumes/data/own; echo disk > /root/kept')
    await value(() => driver().stop(machine))
    await docker.change(docker, machine, data(ref))
    expect(await settled(() => driver().start(machine))).toMatchObject({
      failure: 'rejected',
      message: expect.stringContaining('files of its own'),
    })
    expect(await value(() => volumes().observe(ref))).toMatchObject({ machine: null })
    await docker.change(docker, machine, { ...data(ref), name: 'other' })
    await value(() => driver().start(machine))
    expect(await said(machine, 'cat /volumes/data/own /root/kept; echo new > /workspace/other/file')).toBe(
      'mine\ndisk',
    )
    await value(() => driver().stop(machine))
    expect(await docker.get(ref, '/file')).toBe('new\n')
    // An image with something there, which says besides that it has this volume.
    const client = clientOf(engine)
    const { Id } = await client.getContainer(`ingot-${docker.installation}-${machine}`).inspect()
    const changes = `LABEL ingot.volume=${ref} ingot.part=view`
    await client.getContainer(Id).commit({ repo: 'ingot-test-full', tag: 'latest', changes })
    const image = 'ingot-test-full:latest'
    const full = await docker.create({ ...docker.spec(), tenant, image, volume: data(ref) })
    expect(await settled(() => driver().start(full))).toMatchObject({ failure: 'rejected' })
    const plain = await running({ tenant: 'grace', image })
    expect(await said(plain, 'cat /volumes/data/own')).toBe('mine')
    expect(await value(() => volumes().observe(ref))).toMatchObject({ machine: null })
  })

  it('one that is gone starts nothing, its instance shows its files, and starts without it', async () => {
    const { make, change, docker, driver, running, settled, value, said, volumes, spec } = await opened()
    const ref = await make('goes')
    const machine = await running({ tenant, volume: data(ref) })
    await said(machine, 'echo kept > /root/kept')
    await value(() => driver().stop(machine))
    // A stopped instance shows what it would have.
    await value(() => driver().files(machine).list('/volumes/data'))
    await value(() => volumes().destroy(ref))
    expect(await settled(() => driver().start(machine))).toMatchObject({
      failure: 'rejected',
      message: 'The volume is gone.',
    })
    const { data: kept } = await value(() => driver().files(machine).read('/root/kept'))
    expect(await text(kept)).toBe('kept\n')
    await change({ spec }, machine, null)
    await value(() => driver().start(machine))
    expect(await said(machine, 'cat /root/kept; ls -A /volumes/data')).toBe('kept')
    expect(docker.probes.find(({ name }) => name === 'volumes')).toMatchObject({ ok: true })
  })

  it('whoever an image runs as, what others wrote can be changed, from outside too', async () => {
    const { installation, make, get, put, driver, running, value, said, volumes } = await opened()
    const client = clientOf(engine)
    const base = await client.createContainer({ Image: testImage, Entrypoint: ['none'] })
    await base.commit({ repo: 'ingot-test-user', tag: 'latest', changes: 'USER nobody' })
    await base.remove()
    const ref = await make('owned')
    const write = 'echo written > /volumes/data/file && mkdir -p /volumes/data/d && id -u'
    const first = await running({ tenant, volume: data(ref) })
    expect(await said(first, write)).toBe('0')
    await value(() => driver().destroy(first))
    const image = 'ingot-test-user:latest'
    const second = await running({ tenant, image, volume: data(ref) })
    expect(await said(second, `cat /volumes/data/file; ${write}; echo x > /volumes/data/d/x`)).toBe(
      'written\n65534',
    )
    await put(ref, '/outside', 'from outside')
    expect(await said(second, 'echo changed >> /volumes/data/outside; cat /volumes/data/outside')).toBe(
      'from outsidechanged',
    )
    await value(() => driver().destroy(second))
    const third = await running({ tenant, volume: data(ref) })
    expect(await said(third, 'echo y >> /volumes/data/d/x; cat /volumes/data/d/x')).toBe('x\ny')
    expect(await get(ref, '/d/x')).toBe('x\ny\n')
    await said(third, 'mkdir /volumes/data/roots; echo root > /volumes/data/roots/file')
    await put(ref, '/roots/file', 'from outside')
    expect(await said(third, 'cat /volumes/data/roots/file')).toBe('from outside')
    await value(() => driver().destroy(third))
    await value(() => volumes().destroy(ref))
    const left = { label: [`ingot.installation=${installation}`, 'ingot.part'] }
    expect((await client.listVolumes({ filters: left })).Volumes ?? []).toEqual([])
  })

  it('of those who start with one at once one has it, and an engine that dies keeps what was synced', async () => {
    const { make, change, create, driver, spec, value, said, volumes } = await opened()
    const ref = await make('raced')
    const ids = await Promise.all([1, 2, 3].map(() => create({ ...spec(), tenant, volume: data(ref) })))
    const answers = await Promise.all(
      ids.map(id =>
        value(() => driver().start(id)).then(
          () => 'up',
          (error: unknown) => String(error),
        ),
      ),
    )
    expect(answers.filter(answer => answer === 'up')).toHaveLength(1)
    for (const answer of answers.filter(each => each !== 'up')) expect(answer).toContain('another instance')
    const machine = ids[answers.indexOf('up')]!
    expect(await value(() => volumes().observe(ref))).toMatchObject({ machine })
    await said(machine, 'echo kept > /volumes/data/file; sync')
    await engine.kill()
    await engine.start()
    await change({ spec }, machine, data(ref))
    await value(() => driver().start(machine))
    expect(await said(machine, 'cat /volumes/data/file')).toBe('kept')
  })

  it('what is kept in one place is found there, whatever else could be done now', async () => {
    for (const noHostVolumes of [undefined, 'it is tried without']) {
      const installation = noHostVolumes ? 'elsewhere' : 'here'
      const { dir, docker, make, value, volumes } = await opened({
        installation,
        ...(noHostVolumes ? { noHostVolumes } : {}),
      })
      const ref = await make('stays')
      await docker.close()
      const next = await createDockerDriver({
        engine: { address: engine.address },
        installation,
        dir,
        maxMachines: 1,
        ...(noHostVolumes ? {} : { noHostVolumes: 'it is tried without' }),
      })
      expect(next.volumes!.capabilities).toEqual(volumes().capabilities)
      expect(next.probes.find(({ name }) => name === 'volumes')).toMatchObject({ ok: false })
      expect(await value(() => next.volumes!.list())).toMatchObject({
        volumes: [{ ref, state: 'available' }],
      })
      await value(() => next.volumes!.destroy(ref))
      await next.close()
    }
  })

  it('nobody else on the host sees what is in one', async () => {
    const { make, put, dir } = await opened()
    const ref = await make('closed')
    await put(ref, '/secret', 'secret')
    const at = join(dir, 'volumes', ref)
    for (const path of ['image', 'mnt/data/secret']) {
      const { status, stdout } = spawnSync('setpriv', [
        '--reuid=65534',
        '--clear-groups',
        'cat',
        join(at, path),
      ])
      expect([status, stdout.toString()]).toEqual([1, ''])
    }
  })

  it('kept by the engine alone: flags, read-only, snapshots that are whole or are not restored', async () => {
    const { make, get, put, driver, running, settled, value, said, volumes, docker } = await opened({
      noHostVolumes: 'it is tried without',
      installation: 'alone',
    })
    expect(docker.probes.find(({ name }) => name === 'volumes')).toMatchObject({
      ok: false,
      detail: 'their size is not enforced: it is tried without',
    })
    const ref = await make('source')
    await put(ref, '/file', 'as it was')
    const flags = 'grep " /volumes/data " /proc/self/mountinfo | cut -d" " -f6; cat /volumes/data/file'
    for (const readOnly of [false, true]) {
      const machine = await running({ tenant, volume: data(ref, readOnly) })
      const [found = '', content] = (await said(machine, flags)).split('\n')
      expect(found.split(',')).toEqual(expect.arrayContaining([readOnly ? 'ro' : 'rw', 'nosuid', 'nodev']))
      expect(content).toBe('as it was')
      await value(() => driver().destroy(machine))
    }
    const kept = await value(() => volumes().snapshot(ref, { snapshotId: 'kept' }, 'kept'))
    expect(kept).toMatchObject({
      usedBytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    await put(ref, '/file', 'changed')
    const { Mountpoint } = await clientOf(engine).getVolume('ingot-alone-snapshot-kept.content').inspect()
    const restore = () => volumes().restore(kept.ref, { volumeId: 'back', tenant, sizeGb: 1 }, 'back')
    appendFileSync(join(Mountpoint, 'tar'), '\0')
    expect(await settled(restore)).toMatchObject({ message: 'What is stored of this snapshot is damaged.' })
    expect((await value(() => volumes().list())).volumes).toMatchObject([{ ref }])
    truncateSync(join(Mountpoint, 'tar'), kept.usedBytes)
    await value(restore)
    expect(await get('back', '/file')).toBe('as it was')
    for (const each of [ref, 'back']) await value(() => volumes().destroy(each))
    await value(() => volumes().destroySnapshot(kept.ref))
    expect(await value(() => volumes().list())).toEqual({ volumes: [], snapshots: [] })
    const left = await clientOf(engine).listVolumes({
      filters: { label: ['ingot.installation=alone', 'ingot.part'] },
    })
    expect(left.Volumes ?? []).toEqual([])
  })
})
