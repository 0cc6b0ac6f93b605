/** Looks at more running instances than one page holds. */
import { done, type Driver } from '@ingot/compute/driver'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Region } from '../../catalog/regions.ts'
import { openClock } from '../../db/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { openSignals } from '../../worker/signals.ts'
import { createLooks } from '../watching/looks.ts'
import { checkIdle, type IdleNeeds } from './auto-shutdown.ts'

const running = 2_500
const terminated = 5_000
const minute = 60_000
let cpuMs: number | null = 0
let asked = 0
let mostAtOnce = 0

let database: TestDatabase
let needs: IdleNeeds
const statements: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const log = pino({ level: 'silent' })
  let atOnce = 0
  const compute: Pick<Driver, 'name' | 'capabilities' | 'cpuTime'> = {
    name: 'simulated',
    get capabilities() {
      return { measures: { processor: cpuMs !== null } } as Driver['capabilities']
    },
    async cpuTime() {
      asked++
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      await new Promise(setImmediate)
      atOnce--
      return done(cpuMs!)
    },
  }
  const clock = await openClock(database.kysely)
  const regions = [{ compute } as Region]
  needs = {
    database: {
      ...database,
      kysely: new Kysely({
        dialect: new PostgresDialect({ pool: database.pool }),
        log: event => void statements.push(event.query.sql),
      }),
    },
    clock,
    signals: openSignals(database.url, log),
    regions,
    looks: createLooks({ regions, clock, log }),
    log,
  }
  await sql`
    with owner as (insert into auth_user (id) values (gen_random_uuid()) returning id)
    insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb, status, region,
      hardware, shell, billing_period, hourly_cost_micro, started_at, created_at, updated_at, driver, driver_ref, desired, auto_shutdown_enabled)
    select gen_random_uuid(), owner.id, 'a', 'A40', 1, 8, 50, 40, 100, case when n <= ${running} then 'running' else 'terminated' end, 'US-East',
      'simulated', 'simulated', 'hourly', 750000, '2026-11-20T10:00:00.000Z', now(), now(), 'simulated', n::text, 'running', true
    from owner, generate_series(1, ${running + terminated}) n`.execute(database.kysely)
  await sql`vacuum analyze gpu_instances`.execute(database.owner.kysely)
})
beforeEach(async () => {
  statements.length = asked = mostAtOnce = 0
  await sql`update gpu_instances set looked_at = null, busy_at = null, seen_cpu_ms = null where status = 'running'`.execute(
    database.kysely,
  )
})
afterAll(async () => {
  await needs.signals.close()
  await database.close()
})

const lookedAt = async (at: number) => {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from gpu_instances where looked_at = ${new Date(at).toISOString()}`.execute(
    database.kysely,
  )
  return Number(rows[0]!.count)
}

test('every running instance is looked at once a round, a few at a time, with two statements a page', async () => {
  cpuMs = 10
  const at = Date.now()
  await checkIdle(needs, at)
  expect(asked).toBe(running)
  expect(mostAtOnce).toBeLessThanOrEqual(16)
  expect(await lookedAt(at)).toBe(running)
  expect(statements).toHaveLength(6)
  await checkIdle(needs, at + 1_000)
  expect(asked).toBe(running)
})

test('a page that cannot be written takes no other with it, and its instances have their turn in the next round', async () => {
  cpuMs = 10
  const { rows } = await sql<{ id: string }>`
    select id from gpu_instances where status = 'running' order by id offset 1200 limit 1`.execute(
    database.kysely,
  )
  await sql`alter table gpu_instances add constraint none_for_now check (id <> ${sql.lit(rows[0]!.id)} or looked_at is null)`.execute(
    database.owner.kysely,
  )
  const at = Date.now()
  await checkIdle(needs, at)
  expect(await lookedAt(at)).toBe(running - 1_000)
  await sql`alter table gpu_instances drop constraint none_for_now`.execute(database.owner.kysely)
  await checkIdle(needs, at + 1_000)
  expect(await lookedAt(at + 1_000)).toBe(1_000)
})

test('a row that somebody has locked is passed over, not waited for', async () => {
  cpuMs = 10
  const at = Date.now()
  await database.kysely.transaction().execute(async tx => {
    await sql`select 1 from gpu_instances where status = 'running' order by id limit 3 for no key update`.execute(
      tx,
    )
    await checkIdle(needs, at)
  })
  expect(await lookedAt(at)).toBe(running - 3)
})

test('where the driver does not measure it, an instance that goes on being idle is not written again', async () => {
  cpuMs = null
  const at = Date.now()
  await checkIdle(needs, at)
  await checkIdle(needs, at + minute / 2)
  expect(await lookedAt(at + minute / 2)).toBe(running)
  statements.length = 0
  await checkIdle(needs, at + minute)
  expect(statements).toHaveLength(3)
  expect(await lookedAt(at + minute / 2)).toBe(running)
})
