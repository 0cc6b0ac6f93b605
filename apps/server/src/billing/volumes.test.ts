/** What a bill says of volumes. */
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { balanceOf, data, day, isGone, running, testVolumes } from '../volumes/test-volumes.ts'

const volumes = testVolumes()
const { server, made } = volumes

/** Of a line of the file; a quoted one may hold commas. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell!.replaceAll('"', ''))

test('the months of a volume are found, have receipts, count as storage, and are told to FinOps tools as such', async () => {
  const user = await server.user('60')
  const { client } = user
  const volume = await made(user)
  await running(user, a40({ auto_shutdown_enabled: false, gpu_type: 'T4' }))
  await server.advance(day)
  const spent = await client.billing.usage({ by: 'day', split: 'gpu' })
  const parts = spent.items.flatMap(item => item.parts)
  expect(parts).toContainEqual(expect.objectContaining({ key: 'volume', label: 'Network volume' }))
  expect(parts.map(({ key }) => key)).toContain('T4')
  const { items: kinds } = await client.billing.usage({ by: 'kind' })
  expect(kinds.map(({ key, label }) => [key, label])).toEqual([
    ['instance', 'Instance'],
    ['volume', 'Network volume'],
  ])
  expect(Number(kinds[1]!.amount)).toBeCloseTo(5 / 30, 1)
  const places = (await client.billing.usage({ by: 'day', split: 'region' })).items.flatMap(
    each => each.parts,
  )
  expect([...new Set(places.map(({ key }) => key))]).toEqual(['US-East'])

  for (const { id } of (await client.instances.list({})).items) await client.instances.delete({ id })
  await server.advance(29 * day)
  const { items } = await client.billing.list({ about: 'volume' })
  expect(items.map(({ kind, description, amount }) => [kind, description, amount])).toEqual([
    ['month', 'Data: next month', '-5.000000'],
    ['month', 'Data: first month, 50 GB', '-5.000000'],
  ])
  expect((await client.billing.list({ kind: 'month' })).items).toEqual(items)
  expect((await client.billing.list({ about: 'snapshot' })).items).toEqual([])
  expect((await client.billing.list({ about: 'instance' })).items.length).toBeGreaterThan(1)
  expect((await client.billing.list({ kind: 'deploy' })).items).toHaveLength(1)

  const receipt = await client.billing.receipt({ id: items[0]!.id })
  expect(receipt).toMatchObject({
    instance: null,
    usage: null,
    storage: { kind: 'volume', id: volume.id, volume_id: null, name: 'Data', size_gb: 50, region: 'US-East' },
    month: { from: items[0]!.created_at, to: (await client.volumes.get({ id: volume.id })).renews_at },
  })
  expect(Number(receipt.balance_before) - Number(receipt.balance_after)).toBe(5)

  const rows = (await (await client.billing.export({ format: 'focus' })).text())
    .trim()
    .split('\r\n')
    .map(cellsOf)
  const column = (row: readonly string[], name: string) => row[rows[0]!.indexOf(name)]
  const months = rows.filter(row => column(row, 'ResourceType') === 'volume')
  expect(months).toHaveLength(2)
  for (const row of months)
    expect(
      ['ServiceCategory', 'ServiceName', 'ServiceSubcategory', 'RegionId'].map(name => column(row, name)),
    ).toEqual(['Storage', 'Network Volumes', 'Block Storage', 'US-East'])

  await client.volumes.delete({ id: volume.id })
  await isGone(user, volume.id)
  const [returned] = (await client.billing.list({ about: 'volume' })).items
  expect(returned).toMatchObject({ kind: 'return', description: 'Data: unused part of the month' })
  expect((await client.billing.receipt({ id: returned!.id })).storage).toEqual({
    kind: 'volume',
    id: volume.id,
    volume_id: null,
    name: 'Data',
    size_gb: null,
    region: null,
  })
  expect(Number(await balanceOf(user))).toBeGreaterThan(0)
})

test('nobody else’s bill tells of it', async () => {
  const [user, stranger] = [await server.user('10'), await server.user('10')]
  await user.client.volumes.create(data)
  expect((await stranger.client.billing.list({ about: 'volume' })).items).toEqual([])
})
