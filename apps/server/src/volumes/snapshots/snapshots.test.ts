/** Snapshots by the API: what they cost, what refuses them, what is restored of them, and what outlives what. */
import { done, failed, notYet } from '@ingot/compute/driver'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, until } from '../../product/test-server.ts'
import {
  balanceOf,
  data,
  day,
  isGone,
  noted,
  reach,
  reachInstance,
  running,
  second,
  testVolumes,
} from '../test-volumes.ts'

const volumes = testVolumes()
const { server, made, drain, fund, mailsOf, db } = volumes
const gibibyte = 2 ** 30
const sha256 = 'ab'.repeat(32)

const taken = ({ client }: TestUser, id: string) =>
  until(
    () => client.volumes.snapshot({ id }),
    each => each.status === 'available',
  )
const isAway = ({ client }: TestUser, id: string) =>
  until(
    async () => (await client.volumes.allSnapshots({})).items.filter(each => each.id === id),
    left => left.length === 0,
  )
/** What a look finds used of each volume. */
const used = (bytes: number) => ({
  observe: async () =>
    done({ state: 'available' as const, sizeBytes: 50 * gibibyte, usedBytes: bytes, machine: null }),
})
const stored = (bytes: number) => ({
  snapshot: async (_: unknown, { snapshotId }: { readonly snapshotId: string }) =>
    done({ ref: `snap-${snapshotId}`, usedBytes: bytes, sizeGb: 50, sha256 }),
})
/** A volume of which 12 GB are used, and measured. */
async function measured(user: TestUser, bytes = 12 * gibibyte) {
  volumes.replace(used(bytes))
  const { id } = await made(user)
  return until(
    () => user.client.volumes.get({ id }),
    each => each.used_bytes === bytes,
  )
}

test('a snapshot costs its month by the bytes used, as shown; the difference to what is stored returns', async () => {
  const user = await server.user('20')
  const volume = await measured(user)
  volumes.replace({ ...used(12 * gibibyte), ...stored(10 * gibibyte) })
  await expect(
    user.client.volumes.takeSnapshot({ id: volume.id, quoted_total: '1.000000' }),
  ).rejects.toMatchObject({ code: 'price_changed', fields: { quoted_total: 'is now 1.200000' } })
  const asked = await user.client.volumes.takeSnapshot({
    id: volume.id,
    name: 'before run 7',
    quoted_total: '1.200000',
  })
  expect(asked).toMatchObject({ name: 'before run 7', volume_name: 'Data', used_bytes: null, sha256: null })
  const there = await taken(user, asked.id)
  expect(there).toMatchObject({ monthly_cost: '1.000000', used_bytes: 10 * gibibyte, sha256, size_gb: 50 })
  expect(await balanceOf(user)).toBe('14.000000')
  expect(Date.parse(there.renews_at!) - server.services.clock.now()).toBeGreaterThan(30 * day - 20 * second)
  expect(await user.client.volumes.summary({})).toMatchObject({
    snapshots: 1,
    snapshot_bytes: 10 * gibibyte,
    snapshots_monthly_cost: '1.000000',
  })
  const { rows } = await sql<{ gb: bigint }>`select sum(disk_gb_taken) as gb from host`.execute(db())
  expect(Number(rows[0]!.gb)).toBe(60)

  await server.advance(15 * day)
  const { returns } = await user.client.volumes.snapshot({ id: asked.id })
  expect(Number(returns)).toBeCloseTo(0.5, 3)
  const before = Number(await balanceOf(user))
  await user.client.volumes.deleteSnapshot({ id: asked.id })
  expect(Number(await balanceOf(user)) - before).toBeCloseTo(0.5, 3)
  await isAway(user, asked.id)
  expect((await noted(user)).slice(0, 3)).toEqual([
    'volume_snapshot_deleted',
    'volume_snapshot_available',
    'volume_snapshot_taken',
  ])
})

test('nobody pays more than was shown, and far more is not stored for it', async () => {
  const user = await server.user('20')
  const volume = await measured(user)
  // The file system's own, and what was written since.
  volumes.replace({ ...used(12 * gibibyte), ...stored(14 * gibibyte) })
  const first = await user.client.volumes.takeSnapshot({ id: volume.id })
  expect((await taken(user, first.id)).monthly_cost).toBe('1.200000')
  expect(await balanceOf(user)).toBe('13.800000')

  volumes.replace({ ...used(12 * gibibyte), ...stored(40 * gibibyte) })
  const second_ = await user.client.volumes.takeSnapshot({ id: volume.id })
  await isAway(user, second_.id)
  expect(await balanceOf(user)).toBe('13.800000')
  const { items } = await user.client.activity.usageLogs({ action: 'volume_snapshot_failed' })
  expect(items[0]!.message).toContain('Far more was written to the volume than was measured')
  expect(items[0]!.message).toContain('The $1.20 that was paid for it was returned to your wallet.')
})

test('one that can’t be taken returns everything, by mail too, and the volume stays as it was', async () => {
  const user = await server.user('20')
  const volume = await measured(user)
  volumes.replace({ ...used(12 * gibibyte), snapshot: async () => failed('rejected', 'The disk is broken.') })
  const { id } = await user.client.volumes.takeSnapshot({ id: volume.id })
  await isAway(user, id)
  expect(await balanceOf(user)).toBe('15.000000')
  await server.advance(second)
  const mails = await until(
    () => mailsOf(user),
    found => found.some(({ subject }) => subject === 'A snapshot of "Data" could not be taken'),
  )
  expect(mails.some(({ text }) => text.includes('The disk is broken.'))).toBe(true)
  expect((await user.client.volumes.get({ id: volume.id })).status).toBe('available')
})

test('refused: while the volume is made or deleted, while its instance runs where that must be stopped, one beside another, without money', async () => {
  const user = await server.user('100')
  const making = await user.client.volumes.create(data)
  const words = 'Cannot create snapshot while volume is being created or deleted'
  await expect(user.client.volumes.takeSnapshot({ id: making.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: words,
  })
  const volume = await measured(user)
  const own = volumes.store()
  volumes.replace({ ...used(0), capabilities: { ...own.capabilities, quiesce: 'stopped' } })
  const box = await running(user)
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  await expect(user.client.volumes.takeSnapshot({ id: volume.id })).rejects.toMatchObject({
    message:
      'Here a snapshot is taken while no instance runs with the volume. Stop box, or detach the volume, first.',
  })
  await user.client.instances.stop({ id: box.id })
  await reachInstance(user, box.id, 'stopped')
  volumes.replace({ ...used(12 * gibibyte), snapshot: async () => notYet(1_000) })
  await user.client.volumes.takeSnapshot({ id: volume.id, name: 'first' })
  await expect(user.client.volumes.takeSnapshot({ id: volume.id })).rejects.toMatchObject({
    message: 'The snapshot first of it is being taken. Wait until it is there.',
  })
  volumes.replace({ destroy: async () => notYet(1_000) })
  await user.client.volumes.delete({ id: volume.id })
  await expect(user.client.volumes.takeSnapshot({ id: volume.id })).rejects.toMatchObject({ message: words })
  volumes.replace({})
  const poor = await server.user('5')
  const small = await measured(poor)
  await expect(poor.client.volumes.takeSnapshot({ id: small.id })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
})

test('restored it is a new volume with what the snapshot holds, of at least its size; the snapshot outlives its volume', async () => {
  const user = await server.user('100')
  const volume = await made(user)
  await user.client.volumes.makeFolder({ id: volume.id, path: '/models' })
  const { id } = await user.client.volumes.takeSnapshot({ id: volume.id })
  await taken(user, id)
  await user.client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  expect((await user.client.volumes.snapshots({ id: volume.id })).items).toMatchObject([{ id }])

  await expect(user.client.volumes.restore({ id, name: 'again', size_gb: 20 })).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { size_gb: 'is to be at least 50: the snapshot needs so much' },
  })
  const again = await user.client.volumes.restore({
    id,
    name: 'again',
    size_gb: 60,
    quoted_total: '6.000000',
  })
  expect(again).toMatchObject({ status: 'creating', size_gb: 60, monthly_cost: '6.000000' })
  await expect(user.client.volumes.deleteSnapshot({ id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'again is being made of it. Delete it when that is available.',
  })
  await volumes.isAsked(again.id)
  await server.advance(30 * second)
  await reach(user, again.id, 'available')
  expect((await user.client.volumes.files({ id: again.id })).items).toMatchObject([{ name: 'models' }])
  await user.client.volumes.deleteSnapshot({ id })
  await isAway(user, id)
  expect((await noted(user)).filter(action => action === 'volume_restored')).toHaveLength(1)
})

test('a damaged snapshot makes no volume: what was paid for that returns, and the snapshot stays', async () => {
  const user = await server.user('100')
  const volume = await made(user)
  const { id } = await user.client.volumes.takeSnapshot({ id: volume.id })
  await taken(user, id)
  const before = await balanceOf(user)
  volumes.replace({ restore: async () => failed('rejected', 'What is stored of this snapshot is damaged.') })
  const again = await user.client.volumes.restore({ id, name: 'again' })
  await isGone(user, again.id)
  expect(await balanceOf(user)).toBe(before)
  const { items } = await user.client.activity.usageLogs({ action: 'volume_creation_failed' })
  expect(items[0]!.message).toContain('What is stored of this snapshot is damaged.')
  expect((await user.client.volumes.snapshot({ id })).status).toBe('available')
})

test('unpaid it is kept for seven days and not restored from; paid, its month begins when it lapsed', async () => {
  const user = await server.user('10')
  const volume = await made(user)
  const { id } = await user.client.volumes.takeSnapshot({ id: volume.id })
  await taken(user, id)
  await user.client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  await drain(user)
  await server.advance(30 * day)
  const lapsed = await until(
    () => user.client.volumes.snapshot({ id }),
    each => each.lapsed_at !== null,
  )
  expect(Date.parse(lapsed.deletes_at!) - Date.parse(lapsed.lapsed_at!)).toBe(7 * day)
  await expect(user.client.volumes.restore({ id, name: 'again' })).rejects.toMatchObject({
    message: 'The month of this snapshot is not paid. Restore that first.',
  })
  await expect(user.client.volumes.reviveSnapshot({ id })).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  await fund(user, 1)
  const paid = await until(
    () => user.client.volumes.snapshot({ id }),
    each => each.lapsed_at === null,
  )
  expect(Date.parse(paid.renews_at!) - Date.parse(lapsed.lapsed_at!)).toBe(30 * day)
  await drain(user)
  await server.advance(30 * day)
  await until(
    () => user.client.volumes.snapshot({ id }),
    each => each.lapsed_at !== null,
  )
  await server.advance(7 * day)
  await isAway(user, id)
})
