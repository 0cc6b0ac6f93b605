/** What the activity log, the dashboard and its alarms say of volumes. */
import { failed } from '@ingot/compute/driver'
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until, type TestUser } from '../product/test-server.ts'
import { data, day, isGone, second, testVolumes } from '../volumes/test-volumes.ts'

const volumes = testVolumes()
const { server, made, drain } = volumes

const log = async ({ client }: TestUser, input: Parameters<typeof client.activity.usageLogs>[0] = {}) =>
  (await client.activity.usageLogs(input)).items
const actions = async (user: TestUser, input: Parameters<typeof user.client.activity.usageLogs>[0]) =>
  (await log(user, input)).map(({ action }) => action)
const needs = async ({ client }: TestUser) => (await client.activity.attention()).items

test('an act on a volume names it and its instance, and is found by either; a deleted one keeps its history', async () => {
  const [user, stranger] = [await server.user('40'), await server.user('10')]
  const volume = await made(user)
  const other = await made(user, { ...data, name: 'Other' })
  const box = await user.client.instances.create(a40({ start: false }))
  await user.client.volumes.attach({ id: volume.id, instance_id: box.id })
  await user.client.volumes.detach({ id: volume.id })
  await user.client.volumes.rename({ id: volume.id, name: 'Weights' })

  expect(await actions(user, { volume_id: volume.id })).toEqual([
    'volume_renamed',
    'volume_detached',
    'volume_attached',
    'volume_available',
    'volume_created',
  ])
  expect(await actions(user, { volume_id: other.id })).toEqual(['volume_available', 'volume_created'])
  expect(await actions(user, { instance_id: box.id })).toEqual([
    'volume_detached',
    'volume_attached',
    'instance_created',
  ])
  expect(await actions(user, { instance_id: box.id, volume_id: other.id })).toEqual([])
  expect(await actions(stranger, { volume_id: volume.id })).toEqual([])
  const [attached, created] = [
    (await log(user, { action: 'volume_attached' }))[0],
    (await log(user, { action: 'instance_created' }))[0],
  ]
  expect(attached).toMatchObject({
    instance_id: box.id,
    instance_name: 'box',
    volume_id: volume.id,
    volume_name: 'Weights',
    volume_is_gone: false,
  })
  expect(created).toMatchObject({ instance_id: box.id, volume_id: null, volume_name: null })
  expect((await log(user, { volume_id: volume.id, search: 'weights' })).length).toBe(5)
  expect(await actions(user, { search: 'was called data' })).toEqual(['volume_renamed'])

  await user.client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  expect((await log(user, { volume_id: volume.id })).map(({ volume_name }) => volume_name)).toEqual([
    'Weights',
    'Weights',
    'Data',
    'Data',
    'Data',
    'Data',
  ])
  for (const line of await log(user, { volume_id: volume.id })) expect(line.volume_is_gone).toBe(true)
  expect((await user.client.activity.volumes()).items).toEqual([
    { id: other.id, name: 'Other', is_deleted: false },
    { id: volume.id, name: 'Data', is_deleted: true },
  ])
  expect((await user.client.activity.volumes({ search: 'OTH' })).items).toHaveLength(1)
  expect((await user.client.activity.volumes({ limit: 1 })).next_cursor).toBe(other.id)
  expect((await stranger.client.activity.volumes()).items).toEqual([])

  const file = await (await user.client.activity.export({ volume_id: volume.id })).text()
  const [head, ...lines] = file
    .trim()
    .split('\r\n')
    .map(line => line.split(',').slice(-2))
  expect(head).toEqual(['volume', 'volume_id'])
  expect(lines.map(([name]) => name)).toEqual(['Weights', 'Weights', 'Data', 'Data', 'Data', 'Data'])
  expect(lines.map(([, id]) => id)).toEqual(lines.map(() => volume.id))

  const { items } = await user.client.activity.recent({ limit: 50 })
  expect(items.find(({ action }) => action === 'volume_detached')).toMatchObject({
    volume_name: 'Data',
    instance_name: 'box',
  })
  expect(items.find(({ message }) => message === 'Other: first month, 50 GB')).toMatchObject({
    volume_id: other.id,
    volume_name: 'Other',
    amount: '-5.000000',
  })
})

test('what happens to a snapshot is found by its volume, also when both are gone', async () => {
  const user = await server.user('20')
  const { client } = user
  const volume = await made(user)
  const snapshot = await client.volumes.takeSnapshot({ id: volume.id, name: 'nightly' })
  await server.advance(10 * second)
  await until(
    () => client.volumes.snapshot({ id: snapshot.id }),
    each => each.status === 'available',
  )
  await client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  await drain(user)
  await server.advance(30 * day)
  const lapsed = await until(
    () => client.volumes.snapshot({ id: snapshot.id }),
    each => each.lapsed_at !== null,
  )
  expect(await needs(user)).toMatchObject([
    {
      kind: 'snapshot_lapsed',
      volume_id: volume.id,
      volume_name: 'nightly',
      until: lapsed.deletes_at,
      amount: '0.010000',
    },
  ])
  await server.advance(7 * day)
  await until(
    async () => (await client.volumes.allSnapshots({})).items,
    items => items.length === 0,
  )
  const found = await log(user, { volume_id: volume.id })
  expect(found.map(({ action, message }) => [action, message])).toEqual([
    ['volume_snapshot_ended', 'Data, nightly: It was not paid for in time.'],
    ['volume_snapshot_lapsed', 'Data, nightly: The balance does not cover the next month.'],
    ['volume_deleted', null],
    ['volume_snapshot_available', 'nightly'],
    ['volume_snapshot_taken', 'nightly'],
    ['volume_available', null],
    ['volume_created', '50 GB in US-East'],
  ])
  expect((await log(user, { search: 'nightly' })).map(({ volume_id }) => volume_id)).toEqual(
    Array.from({ length: 4 }, () => volume.id),
  )
  expect((await client.activity.volumes()).items).toEqual([{ id: volume.id, name: 'Data', is_deleted: true }])
  expect((await client.activity.summary()).storage_events).toBe(7)
})

test('one that is nearly full needs somebody since it is so, and one that is not paid until it is deleted', async () => {
  const user = await server.user('10')
  const volume = await made(user)
  expect(await needs(user)).toEqual([])
  const own = volumes.store()
  const use = (share: number) =>
    volumes.replace({
      observe: async ref => {
        const seen = await own.observe(ref)
        return seen.kind === 'done' && seen.value.state === 'available'
          ? { ...seen, value: { ...seen.value, usedBytes: Math.ceil(share * 50 * 2 ** 30) } }
          : seen
      },
    })
  use(0.899)
  await server.advance(16 * 60_000)
  await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.used_bytes === Math.ceil(0.899 * 50 * 2 ** 30),
  )
  expect(await needs(user)).toEqual([])
  use(0.96)
  await server.advance(16 * 60_000)
  const [full] = await until(
    () => needs(user),
    items => items.length === 1,
  )
  expect(full).toMatchObject({
    kind: 'volume_full',
    volume_id: volume.id,
    volume_name: 'Data',
    percent: 96,
    instance_id: null,
    until: null,
  })
  use(0.97)
  await server.advance(16 * 60_000)
  const later = await until(
    () => needs(user),
    items => items[0]?.percent === 97,
  )
  expect(later[0]!.at).toBe(full!.at)

  await drain(user)
  await server.advance(30 * day)
  const lapsed = await until(
    () => user.client.volumes.get({ id: volume.id }),
    each => each.lapsed_at !== null,
  )
  const items = (await needs(user)).filter(({ kind }) => kind.startsWith('volume'))
  expect(items).toMatchObject([
    {
      kind: 'volume_lapsed',
      volume_id: volume.id,
      at: lapsed.lapsed_at,
      until: lapsed.deletes_at,
      amount: '5.000000',
    },
  ])
  await server.advance(7 * day)
  await isGone(user, volume.id)
  expect((await needs(user)).filter(({ kind }) => kind.startsWith('volume'))).toEqual([])
  expect(await actions(user, { kind: 'volume' })).toEqual([
    'volume_ended',
    'volume_lapsed',
    'volume_available',
    'volume_created',
  ])
})

test('one that could not be made is told with its reason, for a day or until another is made', async () => {
  const user = await server.user('20')
  const fail = async () => {
    volumes.replace({ create: async () => failed('rejected', 'The disk of this host is broken.') })
    const { id } = await user.client.volumes.create(data)
    await isGone(user, id)
    volumes.replace({})
    return id
  }
  const id = await fail()
  expect(await needs(user)).toMatchObject([
    {
      kind: 'volume_failed',
      volume_id: id,
      volume_name: 'Data',
      message: expect.stringMatching(/^The disk of this host is broken\. The \$5\.00/),
    },
  ])
  await server.advance(day)
  expect(await needs(user)).toEqual([])
  await fail()
  expect(await needs(user)).toHaveLength(1)
  await server.advance(1)
  await user.client.volumes.create(data)
  expect(await needs(user)).toEqual([])
})
