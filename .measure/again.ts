import { readFile } from 'node:fs/promises'
import { startEmbeddedPostgres } from '../apps/server/src/db/embedded.ts'
import { migrate, readMigrations } from '../apps/server/src/db/migrate.ts'
import { openDatabase } from '../apps/server/src/db/database.ts'
import { sql } from 'kysely'
import * as B from '../apps/server/src/billing/queries.ts'
import * as A from '../apps/server/src/activity/queries.ts'
const pgd = await startEmbeddedPostgres({ dir: '/tmp/bytes-pg' })
const url = pgd.url.replace(/\/ingot\?/, '/measure?')
const db = openDatabase(url, { max: 4 })
const { pool, kysely: k } = db
if (!process.env.ONLY) {
const m46 = (await readMigrations()).find(m => m.name.startsWith('0046'))!
const fns = m46.sql.slice(
  m46.sql.indexOf('-- What a wallet spent by month'),
  m46.sql.indexOf('-- The nightly audit'),
)
await pool.query(
  'drop function if exists spent_after(uuid,bigint); drop function if exists used_after(uuid,bigint,bigint)',
)
await pool.query(fns.replaceAll('create function', 'create or replace function'))
await pool.query(`update schema_migration set hash = $1 where name like '0046%'`, [m46.hash])
console.log('migrated', await migrate(url))
await pool.query('vacuum analyze')
}
const time = async <T>(what: string, work: () => Promise<T>, n = 9): Promise<T> => {
  let out: T
  const ts: number[] = []
  for (let i = 0; i < n; i++) {
    const t = performance.now()
    out = await work()
    ts.push(performance.now() - t)
  }
  ts.sort((a, b) => a - b)
  console.log(
    what.padEnd(60),
    `min ${ts[0]!.toFixed(1)} median ${ts[n >> 1]!.toFixed(1)} ms  max ${ts.at(-1)!.toFixed(1)}`,
  )
  return out!
}
const user = '01980000-0000-7000-8000-000000000001'
const at = new Date(Date.parse('2025-01-01') + 9999 * 3_600_000).toISOString()
const page = { limit: 50 }
if (!process.env.ONLY) {
await time('floor: select 1', () => sql`select 1`.execute(k))
await time('getSpending', () => B.getSpending(k, user, at))
const r = await time('listBilling first', () => B.listBilling(k, user, page))
await time('listBilling second', () => B.listBilling(k, user, { ...page, cursor: r.next_cursor! }))
await time('listBilling pending', () => B.listBilling(k, user, { ...page, status: 'pending' }))
await time('listBilling refunded', () => B.listBilling(k, user, { ...page, status: 'refunded' }))
await time('listBilling search miss', () => B.listBilling(k, user, { ...page, search: 'nothing' }))
await time('getActivitySummary', () => A.getActivitySummary(k, user, Date.parse(at), 60))
await time('listUsageLogs first', () => A.listUsageLogs(k, user, { limit: 100 }))
await time('listUsageLogs user', () => A.listUsageLogs(k, user, { limit: 100, kind: 'user' }))
await time('listUsageLogs revoked', () => A.listUsageLogs(k, user, { limit: 100, action: 'api_key_revoked' }))
await time('listUsageLogs search miss', () => A.listUsageLogs(k, user, { limit: 100, search: 'nothing' }))
}
if (process.env.FRESH) {
  await pool.query(`truncate spending_month, spending_counted, fact_count, fact_counted`)
  await time('uncounted getSpending', () => B.getSpending(k, user, at), 3)
  await time('uncounted getActivitySummary', () => A.getActivitySummary(k, user, Date.parse(at), 60), 3)
  await time('count_spending', () => pool.query(`select count_spending(array['${user}']::uuid[])`), 1)
  await time('count_facts', () => pool.query(`select count_facts(array['${user}']::uuid[])`), 1)
}
const text = await readFile(new URL('../apps/server/src/ledger/audit.ts', import.meta.url), 'utf8')
const rules = new Function(
  `return ${text.slice(text.indexOf('{', text.indexOf('const rules')), text.indexOf('\n}\n', text.indexOf('const rules')) + 2)}`,
)() as Record<string, string>
const c = await pool.connect()
await c.query(`set statement_timeout = '120s'`); await c.query(`set work_mem = '${process.env.WM ?? '4MB'}'`); if (process.env.JITOFF) await c.query('set jit = off')
const t0 = performance.now()
for (const [rule, q] of Object.entries(rules)) {
  const t = performance.now()
  try {
    const { rows } = await c.query(`select * from (${q}) as broken(detail) limit 20`)
    console.log(((performance.now() - t) / 1000).toFixed(2).padStart(8), 's', rule, rows.slice(0, 2))
  } catch (e) {
    console.log(
      ((performance.now() - t) / 1000).toFixed(2).padStart(8),
      's FAILED',
      rule,
      (e as Error).message,
    )
  }
}
console.log('audit', ((performance.now() - t0) / 1000).toFixed(1), 's')
c.release()
await db.close()
if (process.env.STOP) await pgd.stop()
