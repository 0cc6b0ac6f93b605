/** Both designs keep the contract of volumes, as root and as an ordinary user, and what only this store can show. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { describeVolumes } from '../../volume-conformance.ts'
import { createSandboxDriver } from '../driver.ts'
import { designs } from '../launch/launch.ts'
import type { MachineRecord } from '../machine-store.ts'
import { designsHere, isRoot, running, specOf, useDriver, value } from '../testing/sandbox.ts'
import { spareIsReady } from '../testing/spare.ts'
import { leftovers } from '../testing/volumes.ts'

for (const design of designs)
  describeVolumes(`sandbox by ${design}`, dir => createSandboxDriver({ dir, design, maxMachines: 4 }), {
    skip: designsHere.includes(design) ? null : 'it does not work on this machine',
    leftovers,
    isKnownStore: design === 'bwrap' && designsHere.includes('unshare') && !process.env['INGOT_LONG_TESTS'],
  })

const canMount = isRoot && designsHere.includes('unshare')

describe.skipIf(!canMount)('a volume of the sandbox (needs root)', { timeout: 60_000 }, () => {
  const { dir, driver } = useDriver('unshare', { spares: 1 })
  const tenant = 'ada'
  const data = (ref: string) => ({ ref, name: 'data', readOnly: false })
  const make = (key: string) =>
    value(() => driver().volumes.create({ volumeId: key, tenant, sizeGb: 1 }, key))
  const write = (machine: string, path: string, content: string) =>
    value(() =>
      driver()
        .files(machine)
        .write(path, Readable.from([Buffer.from(content)])),
    )
  const read = async (machine: string, path: string) =>
    text((await value(() => driver().files(machine).read(path))).data)
  const uidOf = (id: string) =>
    (JSON.parse(readFileSync(join(dir, 'machines', id, 'record.json'), 'utf8')) as MachineRecord).uid

  it('is its tenant’s on each machine, also on one that came up as a spare under another uid', async () => {
    const ref = await make('shared')
    const first = await running(driver(), 'first', { tenant, volume: data(ref) })
    await write(first, '/volumes/data/file', 'of the first')
    await value(() => driver().stop(first))
    await expect.poll(() => spareIsReady(dir), { timeout: 20_000 }).toBe(true)
    const spare = await running(driver(), 'spare', { tenant })
    expect(uidOf(spare)).not.toBe(uidOf(first))
    await value(() => driver().volumes.attach(spare, data(ref)))
    await write(spare, '/volumes/data/file', 'of the spare')
    await write(spare, '/volumes/data/new', 'new')
    await value(() => driver().volumes.detach(spare))
    // The link went with it, the files are on the volume as the tenant's.
    expect(readdirSync(join(dir, 'machines', spare, 'disk', 'workspace'))).toEqual([])
    await value(() => driver().start(first))
    expect(await read(first, '/volumes/data/file')).toBe('of the spare')
    await write(first, '/volumes/data/new', 'changed by the first')
    expect(lstatSync(join(dir, 'volumes', ref, 'mnt', 'data', 'new')).uid).toBe(uidOf(first))
    for (const id of ['first', 'spare']) await value(() => driver().destroy(id))
    // The uid is nobody else's while the volume is there.
    const other = await running(driver(), 'other', { tenant: 'grace', volume: data(ref) }).catch(String)
    expect(other).toContain('somebody else’s')
    const { uid } = JSON.parse(readFileSync(join(dir, 'volumes', ref, 'record.json'), 'utf8')) as {
      uid: number
    }
    expect(uidOf('other')).not.toBe(uid)
    await value(() => driver().destroy('other'))
    expect(readdirSync(join(dir, 'uids'))).toContain(String(uid))
    await value(() => driver().volumes.destroy(ref))
    expect(readdirSync(join(dir, 'uids'))).not.toContain(String(uid))
  })

  it('and its machines take place in no order that gives it to two', async () => {
    const ref = await make('raced')
    const ids = ['a', 'b', 'c']
    for (const id of ids) await value(() => driver().create(specOf(id, { tenant, volume: data(ref) }), id))
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
    for (const id of ids) await value(() => driver().destroy(id))
    await value(() => driver().volumes.destroy(ref))
  })

  it('a program that ends the machine leaves no mount behind the next look', async () => {
    const ref = await make('ended')
    const machine = await running(driver(), 'ends', { tenant, volume: data(ref), command: ['sleep', '0.1'] })
    await expect
      .poll(async () => (await value(() => driver().observe(machine))).state, { timeout: 10_000 })
      .toBe('stopped')
    await value(() => driver().volumes.destroy(ref))
    expect(leftovers(dir)).toEqual([])
    await value(() => driver().destroy(machine))
  })

  it('comes back as after a power cut: what was synced is there, and its journal was replayed', async () => {
    const ref = await make('cut')
    const image = join(dir, 'volumes', ref, 'image')
    const machine = await running(driver(), 'cut', { tenant, volume: data(ref) })
    await write(machine, '/volumes/data/file', 'synced')
    // The file as it stands at this moment, still mounted.
    execFileSync('sync', ['-f', join(dir, 'volumes', ref, 'mnt')])
    execFileSync('cp', ['--sparse=always', image, join(dir, 'cut')])
    const features = (path: string) =>
      execFileSync('dumpe2fs', ['-h', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    await value(() => driver().stop(machine))
    renameSync(join(dir, 'cut'), image)
    expect(features(image)).toContain('needs_recovery')
    await value(() => driver().start(machine))
    expect(await read(machine, '/volumes/data/file')).toBe('synced')
    await write(machine, '/volumes/data/file', 'and it goes on')
    await value(() => driver().destroy(machine))
    expect(features(image)).not.toContain('needs_recovery')
    await value(() => driver().volumes.destroy(ref))
  })

  it('a snapshot that is not what was stored is not restored, and nothing is made of it', async () => {
    const ref = await make('source')
    const kept = await value(() => driver().volumes.snapshot(ref, { snapshotId: 'kept' }, 'kept'))
    const content = join(dir, 'snapshots', kept.ref, 'content.tar')
    appendFileSync(content, '\0')
    const restore = () =>
      driver().volumes.restore(kept.ref, { volumeId: 'restored', tenant, sizeGb: 1 }, 'restored')
    await expect(value(restore)).rejects.toThrow('What is stored of this snapshot is damaged.')
    expect((await value(() => driver().volumes.list())).volumes).toMatchObject([{ ref }])
    truncateSync(content, lstatSync(content).size - 1)
    await value(restore)
    for (const each of [ref, 'restored']) await value(() => driver().volumes.destroy(each))
    await value(() => driver().volumes.destroySnapshot(kept.ref))
    expect(leftovers(dir)).toEqual([])
  })

  it('the image is nobody’s but root’s, and takes no more than what is in it', async () => {
    const ref = await make('image')
    const { mode, uid, blocks } = lstatSync(join(dir, 'volumes', ref, 'image'))
    expect([mode & 0o777, uid]).toEqual([0o600, 0])
    expect(blocks * 512).toBeLessThan(2 ** 27)
    const machine = await running(driver(), 'sees', { tenant, volume: data(ref) })
    expect(await value(() => driver().files(machine).list('/volumes/data'))).toMatchObject({ entries: [] })
    await value(() => driver().destroy(machine))
    await value(() => driver().volumes.destroy(ref))
    expect(existsSync(join(dir, 'volumes', ref))).toBe(false)
  })
})
