/** Long bills as files: whole, each line once, equal to the wallet, in memory that does not grow with them. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const lines = isLong ? 100_000 : 2_000
const server = useTestServer({ worker: false })
let user: TestUser

/** A gift, and then charges of 1 to 7 micro-dollars, each with words of its own. */
beforeAll(async () => {
  user = await server.user('1000')
  for (let n = 1; n < lines; n += 1_000)
    await sql`select debit_wallets(array_agg(${user.id}::uuid), array_agg(1 + n % 7), array_agg('Charge ' || n), array_agg(gen_random_uuid()),
        '2026-01-01'::timestamptz + ${n} * interval '1 minute')
      from generate_series(${n}, least(${n} + 999, ${lines - 1})) n`.execute(server.owner)
}, 300_000)

const take = (format: string, signal?: AbortSignal) =>
  server.fetch(`/v1/billing/export?format=${format}`, { token: user.token, ...(signal ? { signal } : {}) })

/** No cell of these files holds a comma or a quote. */
async function* rowsOf(format: string): AsyncGenerator<Readonly<Record<string, string>>> {
  let names: string[] | undefined
  for await (const line of createInterface({ input: Readable.fromWeb((await take(format)).body as never) })) {
    const cells = line.split(',')
    if (names) yield Object.fromEntries(names.map((name, n) => [name, cells[n]!]))
    else names = cells
  }
}

test('a long bill is whole as a file: each line once, and the amounts add up to the wallet', async () => {
  const { rows } = await sql<{ id: string }>`
    select idem as id from ledger_transfer where user_id = ${user.id}`.execute(server.owner)
  const left = new Set(rows.map(({ id }) => id))
  expect(left.size).toBe(lines)
  let [sum, count] = [0n, 0]
  for await (const row of rowsOf('csv')) {
    count++
    sum += parseUsd(row['amount_usd']!)
    left.delete(row['id']!)
  }
  expect([count, left.size]).toEqual([lines, 0])
  expect(formatUsd(sum)).toBe((await user.client.wallet.get()).balance_usd)
}, 120_000)

test('the same bill as FOCUS has each charge once, and they add up to what the wallet paid', async () => {
  const seen = new Set<string>()
  let [paid, count] = [0n, 0]
  for await (const row of rowsOf('focus')) {
    count++
    paid += parseUsd(row['BilledCost']!)
    seen.add(row['ChargeDescription']!)
  }
  expect([count, seen.size]).toEqual([lines - 1, lines - 1])
  expect(formatUsd(parseUsd('1000') - paid)).toBe((await user.client.wallet.get()).balance_usd)
}, 120_000)

test.each(['csv', 'focus'])(
  'a reader who leaves in the middle of the %s holds no connection',
  async format => {
    const { pool } = server.services.database
    // More often than there are connections, or files that one user may take at a time.
    for (let n = 0; n < 20; n++) {
      const leaving = new AbortController()
      const reader = (await take(format, leaving.signal)).body!.getReader()
      expect((await reader.read()).done).toBe(false)
      leaving.abort()
      await reader.closed.catch(() => {})
    }
    await until(
      async () => [pool.totalCount - pool.idleCount, pool.waitingCount],
      ([busy, waiting]) => busy === 0 && waiting === 0,
    )
    const { rows } = await sql<{ busy: number }>`
    select count(*)::int as busy from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(
      server.owner,
    )
    expect(rows).toEqual([{ busy: 0 }])
    expect((await user.client.billing.list()).items).toHaveLength(50)
  },
)

/** What is alive, and not what nobody has collected yet. */
function aliveMb(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

test.skipIf(!isLong).each(['csv', 'focus'])(
  '100,000 lines as %s take no more memory than a few pages, however slowly they are taken',
  async format => {
    // The first file warms up what every file needs.
    for await (const _ of (await take(format)).body!);
    const before = aliveMb()
    let [most, chunks] = [0, 0]
    for await (const _ of (await take(format)).body!) {
      if (++chunks % 20) continue
      await new Promise(resolve => setTimeout(resolve, 20))
      most = Math.max(most, aliveMb() - before)
    }
    console.info(`${lines} lines as ${format}: at most ${most.toFixed(1)} MB alive`)
    expect(chunks).toBeGreaterThan(90)
    expect(most).toBeLessThan(16)
  },
  120_000,
)
