import { done, type Driver, failed } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { autoShutdownOptions, type Instance } from '@ingot/contracts/instances'
import type { Client } from '@ingot/sdk/client'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { DriverName } from '../../config.ts'
import { a40 } from '../test-rows.ts'
import { until, useTestServer } from '../../product/test-server.ts'
import { checkIdle } from './auto-shutdown.ts'

/** What the machines have worked so far; null: the driver does not measure it; undefined: it cannot be read now. */
let cpuMs: number | null | undefined = null

const server = useTestServer({
  drivers: now => {
    const machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0 })
    const driver: Driver = {
      ...machines,
      get capabilities() {
        const { capabilities } = machines
        return { ...capabilities, measures: { ...capabilities.measures, processor: cpuMs !== null } }
      },
      cpuTime: async () =>
        typeof cpuMs === 'number' ? done(cpuMs) : failed('transient', 'The host can’t do this right now.'),
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})

const minute = 60_000
const micro = (text: string) => BigInt(text.replace('.', ''))

const reach = (client: Client, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )

async function running(client: Client, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await client.instances.create(a40(changes))
  await reach(client, id, 'running')
  return id
}

/** Looks as the worker would, each minute of the given ones after `from`. */
async function looks(from: number, minutes: readonly number[]): Promise<void> {
  for (const at of minutes) await checkIdle(server.services, from + at * minute)
}
const minutesTo = (last: number) => Array.from({ length: last + 1 }, (_, at) => at)

test('idle for its minutes it stops once, says so, and is charged up to the stop, to the micro-dollar', async () => {
  cpuMs = 10_000
  const { client } = await server.user('25')
  const id = await running(client, { auto_shutdown_minutes: 30 })
  const from = Date.now()
  await looks(from, minutesTo(29))
  expect(await client.instances.get({ id })).toMatchObject({ status: 'running' })
  const { auto_shutdown_at } = await client.instances.get({ id })
  expect(Date.parse(auto_shutdown_at!) - from).toBe(30 * minute)

  await server.advance(90 * minute)
  const moved = await client.instances.get({ id })
  expect(Date.parse(moved.auto_shutdown_at!) - Date.parse(auto_shutdown_at!)).toBe(90 * minute)
  await Promise.all([looks(from, [30]), looks(from, [30]), looks(from, [30])])
  const stopped = await reach(client, id, 'stopped')
  expect(stopped).toMatchObject({
    status_reason: 'idle',
    status_message: 'Stopped after 30 minutes without activity',
    auto_shutdown_at: null,
  })
  await looks(from, [31, 90])
  const logs = (await client.activity.usageLogs({ instance_id: id })).items
  const ran = BigInt(Date.parse(stopped.stopped_at!) - Date.parse(stopped.started_at!))
  expect(logs.filter(log => log.action.includes('stop'))).toMatchObject([
    { action: 'instance_auto_stopped', message: 'Stopped after 30 minutes without activity' },
  ])
  const cost = (750_000n * ran) / 3_600_000n
  expect(logs.reduce((sum, log) => sum + micro(log.cost), 0n)).toBe(cost)
  expect(micro((await client.wallet.get()).balance_usd)).toBe(25_000_000n - cost)

  await client.instances.start({ id })
  const again = await reach(client, id, 'running')
  expect(again).toMatchObject({ status_reason: null, status_message: null, auto_shutdown_at: null })
  await looks(from, [92])
  expect((await client.instances.get({ id })).status).toBe('running')
})

test('work keeps it, and the count begins where the work ends', async () => {
  cpuMs = 0
  const { client } = await server.user('25')
  const id = await running(client, { auto_shutdown_minutes: 5 })
  const from = Date.now()
  for (const at of minutesTo(20)) {
    cpuMs += 3_000
    await looks(from, [at])
  }
  expect(await client.instances.get({ id })).toMatchObject({ status: 'running', auto_shutdown_at: null })
  await looks(from, [21, 22, 23, 24])
  expect((await client.instances.get({ id })).status).toBe('running')
  await looks(from, [25])
  expect(await reach(client, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
})

test('what is typed into its terminal keeps it, also where the driver cannot tell what works', async () => {
  cpuMs = null
  const { client } = await server.user('25')
  const id = await running(client, { auto_shutdown_minutes: 5 })
  const from = Date.now()
  await looks(from, minutesTo(4))
  const before = (await client.instances.get({ id })).last_activity_at
  const { url } = await client.instances.terminal({ id, terminal_id: 'main' })
  const socket = new WebSocket(new URL(url, server.url.replace('http', 'ws')))
  await new Promise(resolve => socket.once('message', resolve))
  socket.send(Buffer.from('ls\r'), { binary: true })
  await until(
    () => client.instances.get({ id }),
    each => each.last_activity_at !== before,
  )
  socket.terminate()
  await looks(from, [5, 6, 7, 8, 9])
  expect((await client.instances.get({ id })).status).toBe('running')
  await looks(from, [10])
  expect(await reach(client, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
})

test('while its activity cannot be read it is not stopped, and what was seen before still counts', async () => {
  cpuMs = 0
  const { client } = await server.user('25')
  const id = await running(client, { auto_shutdown_minutes: 5 })
  const from = Date.now()
  await looks(from, [0, 1])
  cpuMs = undefined
  await looks(from, [2, 10, 100])
  expect((await client.instances.get({ id })).status).toBe('running')
  cpuMs = 10
  await looks(from, [101])
  expect(await reach(client, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
})

test('off it never stops; turned on or changed, the count begins anew', async () => {
  cpuMs = 0
  const { client } = await server.user('25')
  const id = await running(client, { auto_shutdown_enabled: false, auto_shutdown_minutes: 5 })
  const from = Date.now()
  await looks(from, [0, 10, 1_000])
  await client.instances.update({ id, auto_shutdown_enabled: true })
  await looks(from, [1_001, 1_005])
  expect((await client.instances.update({ id, auto_shutdown_minutes: 15 })).auto_shutdown_at).toBeNull()
  await looks(from, [1_006, 1_020])
  // The same again changes nothing.
  expect(await client.instances.update({ id, name: 'kept', auto_shutdown_minutes: 15 })).toMatchObject({
    name: 'kept',
    status: 'running',
    auto_shutdown_at: expect.any(String) as string,
  })
  await looks(from, [1_021])
  expect(await reach(client, id, 'stopped')).toMatchObject({
    status_message: 'Stopped after 15 minutes without activity',
  })
})

test('a new instance takes what its owner prefers, unless it is told; a clone takes the copied one’s', async () => {
  const { client } = await server.user('25')
  const create = (changes: Parameters<typeof a40>[0] = {}) =>
    client.instances.create(a40({ start: false, ...changes }))
  expect(await create()).toMatchObject({ auto_shutdown_enabled: true, auto_shutdown_minutes: 60 })
  await client.accounts.updateSettings({ auto_shutdown_enabled: false, auto_shutdown_minutes: 45 })
  expect(await create()).toMatchObject({ auto_shutdown_enabled: false, auto_shutdown_minutes: 45 })
  const told = await create({ auto_shutdown_enabled: true, auto_shutdown_minutes: 480 })
  expect(told).toMatchObject({ auto_shutdown_enabled: true, auto_shutdown_minutes: 480 })
  expect(await client.instances.clone({ id: told.id, start: false })).toMatchObject({
    auto_shutdown_enabled: true,
    auto_shutdown_minutes: 480,
  })
  for (const auto_shutdown_minutes of autoShutdownOptions)
    expect(await client.instances.update({ id: told.id, auto_shutdown_minutes })).toMatchObject({
      auto_shutdown_minutes,
    })
  await expect(client.instances.update({ id: told.id, auto_shutdown_minutes: 7 as 5 })).rejects.toMatchObject(
    { code: 'validation_failed' },
  )
})
