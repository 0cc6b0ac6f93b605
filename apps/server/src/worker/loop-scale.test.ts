/**
 * What a loop costs does not depend on how many rows its table holds: it reads the rows that are due or in hand, by
 * index. Everything goes over one connection, so PostgreSQL's own count of what was read is complete when it is asked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openClock } from '../db/clock.ts'
import { openDatabase } from '../db/database.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import type { Claimable } from './claimable.ts'
import { type LoopNeeds, startLoop, type Work } from './loop.ts'
import { openSignals } from './signals.ts'

const rows = 20_000
const due = 40
const numbered = `('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
const of = `from generate_series(1, ${rows}) n`
/** A few rows are due now, some later; most are done for good. */
const dueAt = `case when n <= ${due} then now() - interval '1 s' when n % 10 = 0 then now() + interval '1 h' end`
const users = `insert into auth_user (id) select ${numbered} ${of}`

const instances = `${users};
  insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb, status, region,
    hardware, shell, billing_period, hourly_cost_micro, created_at, updated_at, driver, desired, due_at)
  select id, id, 'a', 'A40', 1, 8, 50, 40, 100, case when due_at is null then 'terminated' else 'running' end, 'US-East', 'simulated',
    'simulated', 'hourly', 750000, now(), now(), 'simulated', 'running', due_at
  from (select ${numbered} as id, ${dueAt} as due_at ${of}) each`

interface Fill {
  readonly key: string
  readonly fill: string
  /** What is written with the end of a row, where a row must say it. */
  readonly ended?: Readonly<Record<string, string>>
}
/** What fills each table that a loop can work on, without those that have a row for each chain or driver and no more. */
const fills: Record<Exclude<Claimable, 'chain_cursor' | 'driver_round'>, Fill> = {
  gpu_instances: {
    key: 'id',
    fill: instances,
  },
  instance_schedule: {
    key: 'id',
    fill: `${instances}; insert into instance_schedule (id, instance_id, action, time, weekdays, time_zone, created_at, updated_at, due_at)
      select id, id, 'stop', '08:00', '{1}', 'UTC', now(), now(), due_at from gpu_instances`,
  },
  file_import: {
    key: 'id',
    fill: `${instances}; insert into file_import (id, user_id, instance_id, path, replaces, url_sealed, url, state, due_at)
      select id, id, id, '/a', false, 'sealed', 'https://example.com/a',
        case when due_at is null then 'done' else 'waiting' end, due_at from gpu_instances`,
  },
  mail: {
    key: 'id',
    fill: `insert into mail (id, recipient, subject, due_at) select ${numbered}, 'a@example.com', 's', ${dueAt} ${of}`,
  },
  missed_run: {
    key: 'instance_id',
    fill: `${instances}; insert into missed_run (instance_id, due_at) select id, due_at from gpu_instances`,
  },
  support_replies: {
    key: 'message_id',
    fill: `${users}; insert into support_tickets (id, user_id, title, created_at, updated_at) select ${numbered}, ${numbered}, 't', now(), now() ${of};
      insert into support_messages (id, ticket_id, seq, content, sender_type, created_at) select ${numbered}, ${numbered}, 1, 'c', 'user', now() ${of};
      insert into support_replies (message_id, ticket_id, user_id, created_at, due_at, outcome, ended_at)
      select id, id, id, now(), due_at, case when due_at is null then 'off' end, case when due_at is null then now() end
      from (select ${numbered} as id, ${dueAt} as due_at ${of}) each`,
    ended: { outcome: 'off', ended_at: new Date().toISOString() },
  },
  notice: {
    key: 'id',
    fill: `${users}; insert into notice (id, user_id, kind, channel, due_at) select ${numbered}, ${numbered}, 'lost', 'mail', ${dueAt} ${of}`,
  },
  suspension: {
    key: 'user_id',
    fill: `${users}; insert into suspension (user_id, reason, due_at) select ${numbered}, 'r', ${dueAt} ${of}`,
  },
  network_volumes: {
    key: 'id',
    fill: `${users}; insert into network_volumes (id, user_id, name, size_gb, region, driver, month_micro, created_at, updated_at, due_at)
      select ${numbered}, ${numbered}, 'v', 10, 'US-East', 'simulated', 1000000, now(), now(), ${dueAt} ${of}`,
  },
  volume_snapshots: {
    key: 'id',
    fill: `${users}; insert into volume_snapshots (id, user_id, volume_id, volume_name, name, region, driver, size_gb, month_micro, created_at,
        updated_at, due_at)
      select ${numbered}, ${numbered}, ${numbered}, 'v', 's', 'US-East', 'simulated', 10, 1000000, now(), now(), ${dueAt} ${of}`,
  },
}

let made: TestDatabase
let needs: LoopNeeds
beforeEach(async () => {
  made = await createTestDatabase({ as: 'owner' })
  const log = pino({ level: 'silent' })
  const database = openDatabase(made.url, { max: 1 })
  const clock = await openClock(database.kysely)
  needs = { database, clock, log, signals: openSignals(made.url, log) }
})
afterEach(async () => {
  await needs.signals.close()
  await needs.database.close()
  await made.close()
})

/** Rows of the table that this connection has read so far, and how often it read the table from end to end. */
async function readOf(table: string): Promise<{ whole: number; rows: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(needs.database.kysely)
  const { rows } = await sql<{ whole: number; rows: number }>`
    select seq_scan::float8 as whole, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows
    from pg_stat_user_tables where relname = ${table}`.execute(needs.database.kysely)
  return rows[0]!
}

test.each(Object.keys(fills) as (keyof typeof fills)[])(
  'claims, leases and waits on %s read the rows in hand and the next one due, however many there are',
  async table => {
    const { key, fill, ended } = fills[table]
    await needs.database.pool.query(fill)
    await needs.database.pool.query(`vacuum analyze ${table}`)
    const before = await readOf(table)
    let done = 0
    const work = {
      table,
      key,
      clock: 'real',
      leaseMs: 60,
      concurrency: 8,
      async perform(_row, claim) {
        await sleep(100) // Several heartbeats.
        if (await claim.apply(async () => ({ due_at: null, ...ended }))) done++
      },
    } as Work<'mail'>
    const loop = startLoop(work, needs)
    while (done < due) await sleep(5)
    await loop.stop()
    const after = await readOf(table)
    expect(after.whole - before.whole).toBe(0)
    // Claim, lock, apply and a few heartbeats for each row, and some looks at those that are held.
    expect(after.rows - before.rows).toBeLessThan(due * 60)
  },
)
