/** What a round writes does not depend on how many machines run. */
import { createVault } from '../../vault.ts'
import { done, type Driver, type Listed } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Region } from '../../catalog/regions.ts'
import { openClock } from '../../db/clock.ts'
import { openDatabase } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { createTestDatabase } from '../../db/test-database.ts'
import { until } from '../../product/test-server.ts'
import { startLoop } from '../../worker/loop.ts'
import { openSignals } from '../../worker/signals.ts'
import { openRounds, roundWork } from './round-work.ts'

const many = 2_000
const users = 40

test('with nothing new, a round over 2,000 instances writes no row of theirs, of their meters or of their wallets', async () => {
  const made = await createTestDatabase({ as: 'owner' })
  const log = pino({ level: 'silent' })
  const database = openDatabase(made.url, { max: 4 })
  const db = database.kysely
  const clock = await openClock(db)
  const signals = openSignals(made.url, log)
  const ids = Array.from({ length: many }, newId)
  const at = clock.iso()
  await sql`insert into auth_user (id) select unnest(${ids.slice(0, users)}::uuid[])`.execute(db)
  await sql`insert into ledger_account (kind, owner) select 'wallet', id from auth_user`.execute(db)
  await sql`insert into wallets (user_id, account_id) select owner, id from ledger_account where kind = 'wallet'`.execute(
    db,
  )
  await sql`insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb,
      data_storage_gb, status, region, hardware, shell, billing_period, hourly_cost_micro, created_at, updated_at, driver,
      desired, run_id, started_at)
    select id, (${ids}::uuid[])[1 + n % ${users}], 'box', 'A40', 1, 8, 50, 40, 100, 'running', 'US-East', 'simulated',
      'simulated', 'hourly', 750000, ${at}, ${at}, 'simulated', 'running', 'first', ${at}
    from unnest(${ids}::uuid[]) with ordinality as each (id, n)`.execute(db)
  await sql`insert into ledger_account (kind, owner) select 'prepaid', id from gpu_instances`.execute(db)
  await sql`insert into look_source (id, observed_at) values ('simulated', ${at})`.execute(db)
  await sql`insert into meter (id, user_id, prepaid_account, label, price_micro, opened_at, metered_to, seen_at, kind, source)
    select i.id, i.user_id, a.id, i.name, 750000, ${at}, ${at}, ${at}, 'instance', 'simulated'
    from gpu_instances i join ledger_account a on a.kind = 'prepaid' and a.owner = i.id`.execute(db)

  const asked = { list: 0, observe: 0 }
  const run = { id: 'first', beganAt: 0, end: null }
  const listed: Listed[] = ids.map(instanceId => ({
    ref: instanceId,
    instanceId,
    state: 'running',
    publicIp: null,
    at: 1,
    run,
  }))
  const compute: Driver = {
    ...createSimulatedDriver({ dir: null, now: clock.now }),
    async list() {
      asked.list++
      return done(listed)
    },
    async observe() {
      asked.observe++
      return done(listed[0]!)
    },
  }
  const vault = createVault('test')
  const needs = { database, clock, signals, log, vault, regions: [{ compute } as Region] }
  const written = async () =>
    (
      await sql<{ rows: string }>`select md5(string_agg(row, ',' order by row)) as rows from (
        select concat(ctid, xmin) as row from gpu_instances
        union all select concat(ctid, xmin) from meter
        union all select concat(ctid, xmin) from wallets
        union all select concat(ctid, xmin) from ledger_account) each`.execute(db)
    ).rows[0]!.rows
  const before = await written()
  const background = [startLoop(roundWork(needs), needs), openRounds(needs)]
  await until(
    () => db.selectFrom('driver_look').selectAll().execute(),
    looks => looks.length === 1,
  )
  await Promise.all(background.map(each => each.stop()))

  expect(asked).toEqual({ list: 1, observe: 0 })
  expect(await written()).toBe(before)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from meter m where last_seen_of(m) > ${at}`.execute(db)
  expect(rows[0]!.n).toBe(many)
  await signals.close()
  await database.close()
  await made.close()
})
