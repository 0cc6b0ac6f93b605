/** The service looks at itself: with a driver that fails, a worker that stopped, and a database that is away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { SystemStatus } from '@ingot/contracts/site'
import { createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { pino } from 'pino'
import pg from 'pg'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { until, useTestServer } from '../product/test-server.ts'
import { check } from './check.ts'
import { record, startChecks } from './start-checks.ts'
import { createStatus, uptime } from './status.ts'

let broken = false
const server = useTestServer({
  worker: false,
  drivers: now => {
    const simulated = createSimulatedDriver({ dir: null, now })
    const inventory = () => (broken ? Promise.reject(new Error('secret path /x')) : simulated.inventory())
    return new Map([['simulated', { ...simulated, inventory }]])
  },
})
const db = () => server.services.database.kysely
const look = async (at = new Date(), since: Parameters<typeof check>[1] = null, lateBy = 0) =>
  record(db(), await check(server.services, since, lateBy), at)
/** As the next visitor sees it, without the few seconds that an answer is kept for. */
const status = () => createStatus(server.services)()
const failing = async () => (await status()).checks.filter(each => !each.ok)
const today = async () => (await status()).days.at(-1)!

/** Ends every connection to the database of this file and lets nobody in, or lets them in again. */
async function setDatabase(name: string, open: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: inject('clusterUrl') })
  await client.connect()
  await client.query(`alter database ${name} with allow_connections ${open}`)
  if (!open)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await client.end()
}

beforeEach(async () => {
  broken = false
  await sql`truncate site_status, site_status_day`.execute(server.owner)
})

describe('the state', () => {
  test('before anything was measured nothing is claimed', async () => {
    const { state, uptime_percent, days, checks } = await createClient({ baseUrl: server.url }).site.status()
    expect([state, uptime_percent, days.length]).toEqual(['degraded', null, 90])
    expect(checks).toEqual([{ name: 'Worker', ok: false, detail: 'No check was made yet' }])
    expect(days.every(day => day.measured_minutes === 0)).toBe(true)
    expect(days.at(-1)!.day).toBe(new Date().toISOString().slice(0, 10))
  })

  test('is operational when every check passed', async () => {
    await look()
    const { state, checks, uptime_percent } = await status()
    expect([state, uptime_percent]).toEqual(['operational', '100.00'])
    expect(checks.map(each => [each.name, each.ok])).toEqual([
      ['Database', true],
      ['Worker', true],
      ['Machines, simulated', true],
      ['Deposits', true],
    ])
  })

  test('is down when no driver answers, tells no secrets, and recovers', async () => {
    broken = true
    await look()
    expect((await status()).state).toBe('down')
    expect(await failing()).toEqual([{ name: 'Machines, simulated', ok: false, detail: 'Does not answer' }])
    broken = false
    await look()
    expect((await status()).state).toBe('operational')
  })

  test('is degraded when work that was due at the last look still lies there', async () => {
    const user = await server.user('25')
    await user.client.instances.create(a40())
    const since = { business: server.services.clock.iso(), real: new Date().toISOString() }
    await look(new Date(), since)
    expect((await status()).state).toBe('degraded')
    expect((await failing()).map(each => each.name)).toEqual(['Worker'])
    await look(new Date(), { business: new Date(0).toISOString(), real: new Date(0).toISOString() })
    expect((await status()).state).toBe('operational')
    await look(new Date(), null, 60_000)
    expect(await failing()).toEqual([{ name: 'Worker', ok: false, detail: '60 s behind' }])
    await sql`update gpu_instances set due_at = null`.execute(db())
  })

  test('is degraded when the chain was never reached', async () => {
    const { chain } = server.services
    const ask = () => Promise.reject(new Error('out of reach'))
    const cut = { ...server.services, chain: { ...chain, endpoints: { ...chain.endpoints, ask } } }
    await sql`delete from chain_cursor`.execute(db())
    await record(db(), await check(cut, null, 0), new Date())
    expect((await status()).state).toBe('degraded')
    expect(await failing()).toEqual([{ name: 'Deposits', ok: false, detail: 'Does not answer' }])
  })

  test('is degraded while deposits are delayed, and says by how much', async () => {
    const { chain } = server.services
    await sql`insert into chain_cursor (chain, height, block_id, scanned_at, block_at)
      values (${chain.name}, 1, 'x', now(), now() - interval '1 hour') on conflict (chain) do update
      set scanned_at = now(), block_at = excluded.block_at`.execute(db())
    const lookAs = async (isTestNetwork: boolean) => {
      await record(
        db(),
        await check({ ...server.services, chain: { ...chain, isTestNetwork } }, null, 0),
        new Date(),
      )
    }
    // The test chain makes no blocks while nothing is sent.
    await lookAs(true)
    expect((await status()).checks.find(each => each.name === 'Deposits')).toMatchObject({
      ok: true,
      detail: 'Up to date',
    })
    await lookAs(false)
    expect((await status()).state).toBe('degraded')
    expect(await failing()).toEqual([{ name: 'Deposits', ok: false, detail: 'Delayed by 60 minutes' }])
    await sql`update chain_cursor set scanned_at = now() - interval '7 minutes'`.execute(db())
    await lookAs(true)
    expect(await failing()).toEqual([{ name: 'Deposits', ok: false, detail: 'Delayed by 7 minutes' }])
    await sql`delete from chain_cursor`.execute(db())
  })

  test('is degraded once nobody looks any more', async () => {
    await look(new Date(Date.now() - 180_000))
    const { state, checks } = await status()
    expect([state, checks.find(each => each.name === 'Worker')!.ok]).toEqual(['degraded', false])
  })

  test('is down, with its history, while the database is away; those minutes count afterwards', async () => {
    const ask = async () => {
      const response = await server.fetch('/v1/status')
      expect(response.status).toBe(200)
      return (await response.json()) as SystemStatus
    }
    const checks = startChecks(server.services, 200)
    onTestFinished(() => checks.stop())
    const before = await until(ask, each => each.state === 'operational')
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db())
    const { name } = rows[0]!
    await setDatabase(name, false)
    try {
      const away = await until(ask, each => each.state === 'down')
      expect(away.days).toEqual(before.days)
      expect(away.uptime_percent).toBe('100.00')
      expect(away.checks).toEqual([{ name: 'Database', ok: false, detail: 'Does not answer' }])
      await sleep(500)
    } finally {
      await setDatabase(name, true)
    }
    const after = await until(ask, each => each.state === 'operational')
    expect(after.days.at(-1)!.ok_minutes).toBeLessThan(after.days.at(-1)!.measured_minutes)
  })

  test('the worker looks at once when it starts', async () => {
    const checks = startChecks(server.services)
    await until(status, each => each.state === 'operational')
    await checks.stop()
  })
})

describe('the history', () => {
  const minute = (n: number) => new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 + n * 60_000)
  const measure = (at: Date, ok: boolean) =>
    sql`select site_measure(${at.toISOString()}, ${ok})`.execute(db())

  test('counts each minute once; one failed check spoils its minute, and a late one changes nothing', async () => {
    await measure(minute(0), true)
    await measure(minute(0.5), true)
    expect(await today()).toMatchObject({ ok_minutes: 1, measured_minutes: 1 })
    await measure(minute(0.6), false)
    await measure(minute(0.7), true)
    await measure(minute(0.8), false)
    expect(await today()).toMatchObject({ ok_minutes: 0, measured_minutes: 1 })
    await measure(minute(1), true)
    await measure(minute(2), false)
    await measure(minute(1), false)
    expect(await today()).toMatchObject({ ok_minutes: 1, measured_minutes: 3 })
    expect((await status()).uptime_percent).toBe('33.33')
  })

  test('by many processes at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => measure(minute(n % 2 ? 5 : 5.5), n !== 7)))
    expect(await today()).toMatchObject({ ok_minutes: 0, measured_minutes: 1 })
  })

  test('holds 90 days', async () => {
    await measure(new Date(Date.now() - 89 * 86_400_000), true)
    await measure(new Date(Date.now() - 90 * 86_400_000), false)
    await measure(new Date(Date.now() - 91 * 86_400_000), false)
    const { days, uptime_percent } = await status()
    expect(days[0]).toMatchObject({ ok_minutes: 1, measured_minutes: 1 })
    expect(uptime_percent).toBe('100.00')
    await sql`select site_sweep(90)`.execute(db())
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from site_status_day`.execute(db())
    expect(rows[0]!.n).toBe(2)
  })

  test('what is not all is never shown as all', () => {
    const day = (ok_minutes: number, measured_minutes: number) => ({
      day: '2026-01-01',
      ok_minutes,
      measured_minutes,
    })
    expect(uptime([day(0, 0)])).toBeNull()
    expect(uptime([day(99_999, 100_000)])).toBe('99.99')
    expect(uptime([day(1440, 1440), day(1440, 1440)])).toBe('100.00')
  })
})

test('an operator reads once that deposits are delayed, and once that they are not any more', async () => {
  const { chain } = server.services
  const said: string[] = []
  const log = pino(
    { level: 'warn' },
    { write: line => void said.push((JSON.parse(line) as { msg: string }).msg) },
  )
  await sql`insert into chain_cursor (chain, height, block_id, due_at, scanned_at)
    values (${chain.name}, 1, 'x', null, now() - interval '9 minutes')`.execute(db())
  const checks = startChecks({ ...server.services, log }, 20)
  onTestFinished(() => checks.stop())
  const heard = () => Promise.resolve(said.filter(each => each.startsWith('deposits')))
  await until(heard, each => each.length === 1)
  await new Promise(resolve => setTimeout(resolve, 200))
  await sql`update chain_cursor set scanned_at = now()`.execute(db())
  expect(await until(heard, each => each.length > 1)).toEqual([
    'deposits are delayed',
    'deposits are up to date again',
  ])
  await sql`delete from chain_cursor`.execute(db())
})
