import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Instance } from '@ingot/contracts/instances'
import type { Client } from '@ingot/sdk/client'
import { describe, expect, test } from 'vitest'
import { a40 } from './test-rows.ts'
import { until, useTestServer } from '../product/test-server.ts'

// Machines take the time that the specification gives them.
const server = useTestServer({
  drivers: now => new Map([['simulated', createSimulatedDriver({ dir: null, now })]]),
})
const minute = 60_000
const hour = 60 * minute

const reach = (client: Client, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
/** Waits until the driver was asked for what is due, then lets its time pass. */
async function pass(id: string, ms: number): Promise<void> {
  await until(
    async () =>
      (await server.services.database.kysely
        .selectFrom('gpu_instances')
        .select(['due_at', 'lock_token'])
        .where('id', '=', id)
        .executeTakeFirst())!,
    row =>
      row.lock_token === null &&
      (row.due_at === null || Date.parse(row.due_at) > server.services.clock.now()),
  )
  await server.advance(ms)
}
/** Deploys and lets the driver's two seconds pass. */
async function running(client: Client, changes: Parameters<typeof a40>[0] = {}): Promise<Instance> {
  const { id } = await client.instances.create(a40(changes))
  await pass(id, 2_000)
  return reach(client, id, 'running')
}
const micro = (text: string) => BigInt(text.replace('.', ''))
const balance = async (client: Client) => (await client.wallet.get()).balance_usd

describe('deploy', () => {
  test('charges the first hour, starts at once, and says so in the bill and the log', async () => {
    const { client, id: userId } = await server.user('25')
    const created = await client.instances.create(
      a40({ name: '  train-1 ', quoted_hourly_cost: '0.750000', quoted_total: '0.750000' }),
    )
    expect(created).toMatchObject({
      user_id: userId,
      name: 'train-1',
      status: 'starting',
      hourly_cost: '0.750000',
      prepaid_remaining: '0.750000',
      storage_gb: 140,
      cpu_cores: 8,
      memory_gb: 48,
      template_name: 'PyTorch 2.0',
      hardware: 'simulated',
    })
    expect(await client.wallet.get()).toMatchObject({
      balance_usd: '24.250000',
      spending_per_hour: '0.000000',
      empty_at: null,
    })
    expect((await client.billing.list()).items[0]).toMatchObject({
      amount: '-0.750000',
      status: 'paid',
      instance_id: created.id,
    })
    expect((await client.activity.usageLogs()).items.map(log => log.action)).toEqual(['instance_created'])
    await pass(created.id, 2_000)
    await reach(client, created.id, 'running')
    expect((await client.activity.usageLogs()).items.map(log => log.action)).toEqual([
      'instance_started',
      'instance_created',
    ])
  })

  test('without "start now" it waits as stopped and costs nothing more', async () => {
    const { client } = await server.user('25')
    const { id, status } = await client.instances.create(a40({ start: false }))
    expect(status).toBe('stopped')
    await server.advance(48 * hour)
    expect(await balance(client)).toBe('24.250000')
    expect((await client.instances.get({ id })).status).toBe('stopped')
  })

  test('a price that is not the catalogue’s any more stops it before anything happens', async () => {
    const { client } = await server.user('25')
    await expect(client.instances.create(a40({ quoted_hourly_cost: '0.740000' }))).rejects.toMatchObject({
      code: 'price_changed',
      fields: { quoted_hourly_cost: 'is now 0.750000' },
    })
    await expect(
      client.instances.create(a40({ billing_period: '3month', quoted_total: '500.000000' })),
    ).rejects.toMatchObject({ code: 'price_changed' })
    expect((await client.instances.list()).items).toEqual([])
    expect(await balance(client)).toBe('25.000000')
  })

  test('an upfront term charges its total with the extra storage, and the term is on the instance', async () => {
    const { client } = await server.user('600')
    const created = await client.instances.create(
      a40({ billing_period: '3month', data_storage_gb: 200, quoted_total: '565.000000' }),
    )
    expect(created).toMatchObject({
      hourly_cost: '0.763889',
      billing_period: '3month',
      prepaid_remaining: '565.000000',
    })
    expect(Date.parse(created.paid_until!) - Date.parse(created.created_at)).toBe(2160 * hour)
    expect(await balance(client)).toBe('35.000000')
  })

  test('of 64 at once on a wallet that can pay for 3, exactly 3 succeed and 61 are refused', async () => {
    const { client } = await server.user('2.99')
    const results = await Promise.allSettled(
      Array.from({ length: 64 }, (_, n) => client.instances.create(a40({ name: `box-${n}`, start: false }))),
    )
    const refused = results.filter(result => result.status === 'rejected')
    expect(refused).toHaveLength(61)
    expect(new Set(refused.map(result => (result.reason as { code: string }).code))).toEqual(
      new Set(['insufficient_funds']),
    )
    expect(await balance(client)).toBe('0.740000')
    expect((await client.instances.list()).items).toHaveLength(3)
  })

  test('a retry with the same Idempotency-Key deploys once and answers the same', async () => {
    const { client } = await server.user('25')
    const idempotencyKey = 'deploy-once'
    const [first, second] = await Promise.all(
      [1, 2].map(() => client.instances.create(a40(), { idempotencyKey })),
    )
    expect(second).toEqual(first)
    expect(await client.instances.create(a40(), { idempotencyKey })).toEqual(first)
    await expect(client.instances.create(a40({ gpu_count: 2 }), { idempotencyKey })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect((await client.instances.list()).items).toHaveLength(1)
    expect(await balance(client)).toBe('24.250000')
  })
})

describe('bad input is named by its field, and nothing happens', () => {
  test.each([
    ['gpu_type', { gpu_type: 'B200' }],
    ['gpu_count', { gpu_count: 3 }],
    ['data_storage_gb', { data_storage_gb: -50 }],
    ['system_storage_gb', { system_storage_gb: '40' }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(10 * 1024 * 1024) }],
    ['template_id', { template_id: undefined }],
    ['template_id', { template_id: '01980000-0000-7000-8000-0000000000ff' }],
    ['region', { region: 'Moon' }],
    ['billing_period', { billing_period: 'weekly' }],
    ['hourly_cost', { hourly_cost: '0.000001' }],
    ['user_id', { user_id: '01980000-0000-7000-8000-0000000000ff' }],
    ['start', { start: null }],
  ])('%s', async (field, changes) => {
    const { client, token } = await server.user('25')
    const response = await server.fetch('/v1/instances', {
      method: 'POST',
      token,
      body: JSON.stringify({ ...a40(), ...changes }),
    })
    expect(response.status).toBe(422)
    const { error } = (await response.json()) as { error: { code: string; fields: Record<string, string> } }
    expect(error.code).toBe('validation_failed')
    expect(Object.keys(error.fields)).toContain(field)
    expect(await balance(client)).toBe('25.000000')
  })

  test('a body that is no JSON, and one beyond the limit', async () => {
    const { token } = await server.user('25')
    expect((await server.fetch('/v1/instances', { method: 'POST', token, body: '{' })).status).toBe(400)
    expect(
      (await server.fetch('/v1/instances', { method: 'POST', token, body: 'x'.repeat(13 * 1024 * 1024) }))
        .status,
    ).toBe(413)
    expect(
      (await server.fetch('/v1/instances', { method: 'POST', body: 'x'.repeat(13 * 1024 * 1024) })).status,
    ).toBe(401)
  })
})

describe('running', () => {
  test('the deploy charge pays the first hour; stopping after 90 minutes charges the half hour beyond, to the micro-dollar', async () => {
    const { client } = await server.user('25')
    const { id } = await running(client)
    await server.advance(90 * minute)
    await client.instances.stop({ id })
    await pass(id, 2_000)
    const stopped = await reach(client, id, 'stopped')

    const logs = (await client.activity.usageLogs({ instance_id: id })).items.filter(
      log => log.seconds !== null,
    )
    const ms = Date.parse(stopped.stopped_at!) - Date.parse(stopped.started_at!)
    expect(ms).toBeGreaterThanOrEqual(90 * minute)
    const total = logs.reduce((sum, log) => sum + micro(log.cost), 0n)
    expect(total).toBe((750_000n * BigInt(ms)) / BigInt(hour))
    expect(logs.reduce((sum, log) => sum + micro(log.from_prepaid), 0n)).toBe(750_000n)

    const charges = (await client.billing.list()).items.filter(entry => entry.instance_id === id)
    expect(charges.reduce((sum, entry) => sum + micro(entry.amount), 0n)).toBe(-total)
    expect(25_000_000n - micro(await balance(client))).toBe(total)
    expect(await client.billing.summary()).toMatchObject({ spent: (Number(total) / 1e6).toFixed(6) })
  })

  test('at zero balance it stops by itself, nothing is destroyed, and after a deposit it starts again', async () => {
    const { client } = await server.user('1')
    const { id } = await running(client)
    await server.advance(3 * hour)
    const stopped = await until(
      () => client.instances.get({ id }),
      each => each.status === 'stopping' || each.status === 'stopped',
    )
    expect(stopped).toMatchObject({ status_reason: 'balance_empty' })
    expect(await balance(client)).toBe('0.000000')
    expect(Date.parse(stopped.stopped_at!) - Date.parse(stopped.started_at!)).toBe(hour + 20 * minute + 4)
    await pass(id, 2_000)
    await reach(client, id, 'stopped')
    await expect(client.instances.start({ id })).rejects.toMatchObject({ code: 'insufficient_funds' })
  })

  test('a restart takes the specified time, charges once for what ran, and comes back running', async () => {
    const { client } = await server.user('25')
    const { id } = await running(client)
    await server.advance(10 * minute)
    expect((await client.instances.restart({ id })).status).toBe('stopping')
    await pass(id, 2_000)
    await reach(client, id, 'starting')
    await pass(id, 2_000)
    expect((await client.instances.get({ id })).status).toBe('starting')
    await pass(id, 1_000)
    await reach(client, id, 'running')
    const actions = (await client.activity.usageLogs({ instance_id: id })).items.map(log => log.action)
    expect(actions).toEqual([
      'instance_started',
      'instance_restarted',
      // What was charged once the round after the ten minutes had found it, and the moment from there to the restart.
      'instance_usage_charged',
      'instance_usage_charged',
      'instance_started',
      'instance_created',
    ])
  })

  test('deleting returns what is left of the deploy charge at once and takes the instance from every list', async () => {
    const { client } = await server.user('25')
    const { id } = await running(client)
    await server.advance(20 * minute)
    await client.instances.delete({ id })
    const [back] = (await client.billing.list()).items
    expect(back).toMatchObject({ status: 'refunded', instance_id: id })
    const spent = 25 - Number(await balance(client))
    expect(spent).toBeGreaterThanOrEqual(0.25)
    expect(spent).toBeLessThan(0.2525)
    await until(
      () => client.instances.list(),
      list => list.items.length === 0,
    )
    await expect(client.instances.get({ id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.instances.delete({ id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('each act is refused where the state table refuses it, with the reason', async () => {
    const { client } = await server.user('25')
    const { id } = await running(client)
    await expect(client.instances.start({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(client.instances.update({ id, data_storage_gb: 200 })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await client.instances.stop({ id })
    await expect(client.instances.stop({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(client.instances.restart({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(client.instances.terminal({ id, terminal_id: 'a' })).rejects.toMatchObject({
      code: 'invalid_state',
    })
  })
})

describe('changing', () => {
  test('the name changes at any time; storage while stopped, and with it the price', async () => {
    const { client } = await server.user('25')
    const { id } = await running(client)
    expect((await client.instances.update({ id, name: ' renamed ' })).name).toBe('renamed')
    await client.instances.stop({ id })
    await pass(id, 2_000)
    await reach(client, id, 'stopped')
    expect(await client.instances.update({ id, data_storage_gb: 500 })).toMatchObject({
      storage_gb: 540,
      hourly_cost: '0.805556',
    })
    await expect(client.instances.update({ id, data_storage_gb: 100 })).rejects.toMatchObject({
      fields: { data_storage_gb: expect.stringContaining('never shrinks') },
    })
    await expect(client.instances.update({ id, name: '   ' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('a clone is another deploy of the same configuration', async () => {
    const { client } = await server.user('25')
    const source = await running(client, { gpu_count: 2, template_id: builtInTemplates[5]!.id })
    const clone = await client.instances.clone({ id: source.id, quoted_total: '1.500000' })
    expect(clone).toMatchObject({
      name: 'box-clone',
      gpu_count: 2,
      template_name: 'vLLM Inference',
      status: 'stopped',
    })
    expect((await client.activity.usageLogs({ instance_id: clone.id })).items.map(log => log.action)).toEqual(
      ['instance_cloned'],
    )
  })
})

test('lists are filtered, searched and paged on the server, newest first', async () => {
  const { client } = await server.user('25')
  for (const name of ['alpha', 'beta', 'gamma_1']) await client.instances.create(a40({ name, start: false }))
  expect((await client.instances.list()).items.map(each => each.name)).toEqual(['gamma_1', 'beta', 'alpha'])
  const first = await client.instances.list({ limit: 2 })
  expect(first.items).toHaveLength(2)
  expect(
    (await client.instances.list({ limit: 2, cursor: first.next_cursor! })).items.map(each => each.name),
  ).toEqual(['alpha'])
  expect((await client.instances.list({ search: 'a_1' })).items.map(each => each.name)).toEqual(['gamma_1'])
  expect((await client.instances.list({ search: 'a40' })).items).toHaveLength(3)
  expect((await client.instances.list({ search: '%' })).items).toHaveLength(0)
  expect((await client.instances.list({ status: 'running' })).items).toHaveLength(0)
  expect((await client.instances.list({ status: 'stopped' })).items).toHaveLength(3)
})

test('what happens arrives on the event stream, and a reader that comes back misses nothing', async () => {
  const { client } = await server.user('25')
  const ending = new AbortController()
  const opened = Promise.withResolvers<void>()
  const stream = client.events({ signal: ending.signal, onOpen: opened.resolve })
  const first = stream.next()
  await opened.promise
  const { id } = await client.instances.create(a40({ start: false }))
  const event = (await first).value!
  expect(event).toMatchObject({ type: 'instance.created', id })
  ending.abort()
  await client.instances.update({ id, name: 'later' })
  const again = new AbortController()
  const types: string[] = []
  for await (const next of client.events({ signal: again.signal, lastEventId: event.eventId })) {
    types.push(next.type)
    if (next.type === 'instance.updated') again.abort()
  }
  expect(types).toEqual(['wallet.updated', 'instance.updated'])
})
