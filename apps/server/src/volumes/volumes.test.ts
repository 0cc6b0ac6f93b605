/** Volumes by the API: what they cost, where they are, and what holds them. */
import { done, failed } from '@ingot/compute/driver'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { a40, refOf } from '../instances/test-rows.ts'
import { until } from '../product/test-server.ts'
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
} from './test-volumes.ts'

const volumes = testVolumes()
const { server, db, made, isAsked, listed, mailsOf } = volumes

test('a volume costs its month when it is asked for, begins it when it is there, and returns what is left', async () => {
  const user = await server.user('20')
  await expect(user.client.volumes.create({ ...data, quoted_total: '4.000000' })).rejects.toMatchObject({
    code: 'price_changed',
    fields: { quoted_total: 'is now 5.000000' },
  })
  const volume = await user.client.volumes.create({ ...data, quoted_total: '5.000000' })
  expect(volume).toMatchObject({
    status: 'creating',
    monthly_cost: '5.000000',
    renews_at: null,
    instance: null,
  })
  expect(await balanceOf(user)).toBe('15.000000')
  expect(volume.returns).toBe('5.000000')

  await server.advance(30 * second)
  const there = await reach(user, volume.id, 'available')
  expect(Date.parse(there.renews_at!) - server.services.clock.now()).toBeGreaterThan(30 * day - 20 * second)
  expect(await user.client.volumes.summary({})).toMatchObject({
    total: 1,
    size_gb: 50,
    monthly_cost: '5.000000',
  })
  const used = await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.used_bytes !== null,
  )
  expect(used.used_bytes).toBe(0)

  // Half of the month: 360 hours of 6,944 micro-dollars are used, and not a cent more.
  await server.advance(15 * day)
  const half = await user.client.volumes.get({ id: volume.id })
  expect(Number(half.returns)).toBeCloseTo(2.5, 2)
  await user.client.volumes.delete({ id: volume.id })
  expect(Number(await balanceOf(user))).toBeCloseTo(17.5, 2)
  await isGone(user, volume.id)
  expect(await noted(user)).toEqual(['volume_deleted', 'volume_available', 'volume_created'])
  const { rows } = await sql`select from host where disk_gb_taken <> 0`.execute(db())
  expect(rows).toEqual([])
})

test('one that can’t be made returns everything, says why, and is gone; a host without room refuses it', async () => {
  const user = await server.user('20')
  volumes.replace({ create: async () => failed('rejected', 'The disk of this host is broken.') })
  const { id } = await user.client.volumes.create(data)
  await isGone(user, id)
  expect(await balanceOf(user)).toBe('20.000000')
  const { items } = await user.client.activity.usageLogs({ action: 'volume_creation_failed' })
  expect(items).toMatchObject([
    {
      volume_id: id,
      volume_name: 'Data',
      message: 'The disk of this host is broken. The $5.00 that was paid for it was returned to your wallet.',
    },
  ])
  await sql`update host set disk_gb = disk_gb_taken + 49`.execute(server.owner)
  await expect(user.client.volumes.create(data)).rejects.toMatchObject({ code: 'no_capacity' })
  await sql`update host set disk_gb = null`.execute(server.owner)
  expect(await balanceOf(user)).toBe('20.000000')
  await expect(user.client.volumes.create({ ...data, region: 'Middle-East' })).rejects.toMatchObject({
    code: 'invalid_state',
    fields: { region: 'Network volumes are not offered in this region.' },
  })
  const poor = await server.user('4.99')
  await expect(poor.client.volumes.create(data)).rejects.toMatchObject({ code: 'insufficient_funds' })
  const { items: regions } = await poor.client.volumes.regions({})
  expect(regions.filter(each => each.available).map(({ region }) => region)).toEqual([
    'US-East',
    'US-West',
    'EU-West',
    'Asia-Pacific',
  ])
})

test('attached to a stopped instance it comes with the start; to one that runs at once; detached it stays', async () => {
  const user = await server.user('100')
  const volume = await made(user)
  const box = await user.client.instances.create(a40({ start: false }))
  expect(await user.client.volumes.attach({ id: volume.id, instance_id: box.id })).toMatchObject({
    status: 'in-use',
    instance: { id: box.id, path: '/volumes/Data' },
  })
  expect((await user.client.instances.get({ id: box.id })).network_volume_id).toBe(volume.id)
  await user.client.instances.start({ id: box.id })
  await reachInstance(user, box.id, 'running')
  const [made1] = await listed()
  expect(made1!.machine).toBe(await refOf(volumes.machines(), box.id))

  const other = await running(user)
  await expect(user.client.volumes.attach({ id: volume.id, instance_id: other.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: /attached to an instance already/,
  })
  await user.client.volumes.detach({ id: volume.id })
  expect((await listed())[0]!.machine).toBeNull()
  await user.client.volumes.attach({ id: volume.id, instance_id: other.id })
  expect((await listed())[0]!.machine).toBe(await refOf(volumes.machines(), other.id))
  await expect(user.client.volumes.rename({ id: volume.id, name: 'More' })).rejects.toMatchObject({
    code: 'invalid_state',
  })

  // Its instance goes, and the volume stays.
  await user.client.instances.delete({ id: other.id })
  await reach(user, volume.id, 'available')
  expect((await user.client.volumes.rename({ id: volume.id, name: ' More ' })).name).toBe('More')
  await user.client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  expect((await noted(user)).slice(0, 6)).toEqual([
    'volume_deleted',
    'volume_renamed',
    'volume_attached',
    'volume_detached',
    'volume_attached',
    'volume_available',
  ])
})

test('a program that uses it, another region, somebody else’s and a store that can’t: refused, and nothing is changed', async () => {
  const user = await server.user('100')
  const volume = await made(user)
  const box = await running(user)
  volumes.replace({ attach: async () => failed('rejected', 'Restart it to use this.') })
  await expect(user.client.volumes.attach({ id: volume.id, instance_id: box.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'Restart it to use this.',
  })
  expect(await user.client.volumes.get({ id: volume.id })).toMatchObject({ status: 'available' })
  volumes.replace({})
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  volumes.replace({ detach: async () => failed('rejected', 'A program uses it.') })
  for (const act of [user.client.volumes.detach, user.client.volumes.delete])
    await expect(act({ id: volume.id })).rejects.toMatchObject({ message: 'A program uses it.' })
  expect(await user.client.volumes.get({ id: volume.id })).toMatchObject({ status: 'in-use' })
  volumes.replace({ capabilities: { ...volumes.store().capabilities, whileRunning: false } })
  await expect(user.client.volumes.delete({ id: volume.id })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'It is attached to box, which is running. Stop that instance, or detach the volume, first.',
  })
  await expect(user.client.volumes.detach({ id: volume.id })).rejects.toMatchObject({
    message: 'Here a volume is detached while its instance is stopped. Stop box first.',
  })
  const far = await running(user, a40({ region: 'EU-West' }))
  volumes.replace({})
  const second = await made(user, { ...data, name: 'Second' })
  await expect(user.client.volumes.attach({ id: second.id, instance_id: far.id })).rejects.toMatchObject({
    message: 'box is in EU-West and the volume in US-East. Both must be in one region.',
  })
  await expect(user.client.volumes.attach({ id: second.id, instance_id: box.id })).rejects.toMatchObject({
    message: 'box has another volume. Detach that one first.',
  })
  const stranger = await server.user('10')
  const theirs = await stranger.client.instances.create(a40({ start: false }))
  await expect(user.client.volumes.attach({ id: second.id, instance_id: theirs.id })).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { instance_id: 'is no instance of yours' },
  })
})

test('of eight who attach one volume at once, one does; of eight volumes for one instance, one is', async () => {
  const user = await server.user('200')
  const volume = await made(user)
  const boxes = await Promise.all(
    Array.from({ length: 8 }, () => user.client.instances.create(a40({ start: false }))),
  )
  const count = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'fulfilled').length
  const first = await Promise.allSettled(
    boxes.map(({ id }) => user.client.volumes.attach({ id: volume.id, instance_id: id })),
  )
  expect(count(first)).toBe(1)
  const ten = await Promise.all(
    Array.from({ length: 8 }, (_, n) => user.client.volumes.create({ ...data, size_gb: 10, name: `v${n}` })),
  )
  for (const { id } of ten) await isAsked(id)
  await server.advance(30 * second)
  for (const { id } of ten) await reach(user, id, 'available')
  const free = boxes.find((_, n) => first[n]!.status === 'rejected')!
  const second_ = await Promise.allSettled(
    ten.map(({ id }) => user.client.volumes.attach({ id, instance_id: free.id })),
  )
  expect(count(second_)).toBe(1)
})

test('nearly full is told once, until it is less full', async () => {
  const user = await server.user('20')
  let used = 46 * 2 ** 30
  volumes.replace({
    observe: async () =>
      done({ state: 'available', sizeBytes: 50 * 2 ** 30, usedBytes: used, machine: null }),
  })
  const volume = await made(user)
  const isWarned = async () =>
    (
      await db()
        .selectFrom('network_volumes')
        .select('warned_full')
        .where('id', '=', volume.id)
        .executeTakeFirstOrThrow()
    ).warned_full
  await until(isWarned, warned => warned)
  used = 44 * 2 ** 30
  await server.advance(16 * 60_000)
  await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.used_bytes === used,
  )
  expect(await isWarned()).toBe(true)
  used = 40 * 2 ** 30
  await server.advance(16 * 60_000)
  await until(isWarned, warned => !warned)
  const mails = await mailsOf(user)
  expect(mails.filter(({ subject }) => subject.includes('nearly full'))).toHaveLength(1)
})
