import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Instance } from '@ingot/contracts/instances'
import { expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { a40 } from './test-rows.ts'

/** Two cards of one kind, three of another; and a host with room for two machines of any kind. */
const server = useTestServer({
  env: {
    INGOT_REGIONS:
      'US-East=simulated,US-West=simulated,EU-West=sandbox,Asia-Pacific=sandbox,Middle-East=simulated',
  },
  drivers: now => {
    const options = { dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 }
    return new Map([
      ['simulated', createSimulatedDriver({ ...options, capacity: { A40: 2, T4: 3 } })],
      ['sandbox', { ...createSimulatedDriver({ ...options, machines: 2 }), name: 'sandbox' }],
    ])
  },
})

const host = { region: 'EU-West' } as const
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const free = async ({ client }: TestUser, gpu: string) =>
  (await client.catalog.gpus()).items.find(each => each.name === gpu)!
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results
    .map(result => (result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code))
    .toSorted()
async function clear(user: TestUser): Promise<void> {
  for (const { id } of (await user.client.instances.list()).items) await user.client.instances.delete({ id })
  await until(
    () => user.client.instances.list(),
    list => list.items.length === 0,
  )
}

test('of two customers’ deploys that race for the last place one wins, and the other is charged nothing', async () => {
  const users = [await server.user('25'), await server.user('25')]
  const deploys = () =>
    Promise.allSettled(users.map(({ client }) => client.instances.create(a40({ gpu_count: 2 }))))
  expect(codesOf(await deploys())).toEqual(['no_capacity', 'ok'])
  const balances = await Promise.all(users.map(async ({ client }) => (await client.wallet.get()).balance_usd))
  expect(balances.toSorted()).toEqual(['23.500000', '25.000000'])
  for (const user of users) await clear(user)
  expect(codesOf(await deploys())).toEqual(['no_capacity', 'ok'])
  for (const user of users) await clear(user)
})

test('of many at once on one pool, over its regions and cards, as many win as it has places', async () => {
  const user = await server.user('1000')
  const wishes = Array.from({ length: 12 }, (_, n) =>
    a40({
      region: ['EU-West', 'Asia-Pacific'][n % 2]!,
      gpu_type: ['A40', 'H100', 'T4'][n % 3]!,
      gpu_count: 8,
    }),
  )
  const results = await Promise.allSettled(wishes.map(wish => user.client.instances.create(wish)))
  expect(codesOf(results).filter(code => code === 'ok')).toHaveLength(2)
  expect(new Set(codesOf(results))).toEqual(new Set(['ok', 'no_capacity']))
  for (const { id } of (await user.client.instances.list()).items) await reach(user, id, 'running')
  await clear(user)
})

test('the catalogue offers what a deploy would get: one pool counts once, whatever it serves, and a place is gone with the deploy that took it', async () => {
  const user = await server.user('100')
  expect(await free(user, 'A40')).toMatchObject({
    free: { 'US-East': 2, 'US-West': 2, 'EU-West': 2, 'Asia-Pacific': 2, 'Middle-East': 2 },
    free_in_all: 4,
    largest: { 'US-East': 2, 'EU-West': 8 },
  })
  await user.client.instances.create(a40({ gpu_count: 2 }))
  await user.client.instances.create(a40({ ...host, gpu_type: 'H100' }))
  expect(await free(user, 'A40')).toMatchObject({
    free: { 'US-East': 0, 'US-West': 0, 'EU-West': 1, 'Asia-Pacific': 1 },
    free_in_all: 1,
    largest: { 'US-East': 0, 'EU-West': 8 },
  })
  await user.client.instances.create(a40({ ...host, gpu_count: 8 }))
  expect((await free(user, 'T4')).free).toMatchObject({ 'US-East': 3, 'EU-West': 0, 'Asia-Pacific': 0 })
  await expect(
    user.client.instances.create(a40({ region: 'Asia-Pacific', gpu_type: 'T4' })),
  ).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No T4 is free in Asia-Pacific right now. Nothing was charged.',
  })
  await expect(user.client.instances.create(a40({ gpu_type: 'V100' }))).rejects.toMatchObject({
    code: 'no_capacity',
  })
  await clear(user)
})

test('as stopped it can always be deployed; its start is refused while nothing is free, and charged nothing', async () => {
  const user = await server.user('100')
  const first = await user.client.instances.create(a40({ gpu_count: 2 }))
  await reach(user, first.id, 'running')
  const waiting = await user.client.instances.create(a40({ start: false }))
  expect(waiting.status).toBe('stopped')
  await user.client.instances.clone({ id: waiting.id, start: false })
  const before = (await user.client.wallet.get()).balance_usd
  await expect(user.client.instances.start({ id: waiting.id })).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No A40 is free in US-East right now. Nothing was charged.',
  })
  expect(await user.client.instances.get({ id: waiting.id })).toMatchObject({
    status: 'stopped',
    status_reason: null,
  })
  expect((await user.client.wallet.get()).balance_usd).toBe(before)

  await user.client.instances.stop({ id: first.id })
  await reach(user, first.id, 'stopped')
  await user.client.instances.start({ id: waiting.id })
  await reach(user, waiting.id, 'running')
  await clear(user)
})

test('a restart keeps its place while others deploy', async () => {
  const user = await server.user('100')
  const { id } = await user.client.instances.create(a40({ gpu_count: 2 }))
  await reach(user, id, 'running')
  const [restarted, ...others] = await Promise.allSettled([
    user.client.instances.restart({ id }),
    ...Array.from({ length: 5 }, () => user.client.instances.create(a40())),
  ])
  expect(restarted!.status).toBe('fulfilled')
  expect(new Set(codesOf(others))).toEqual(new Set(['no_capacity']))
  await until(
    () => user.client.activity.usageLogs({ instance_id: id }),
    logs => logs.items.filter(log => log.action === 'instance_started').length === 2,
  )
  await clear(user)
})
