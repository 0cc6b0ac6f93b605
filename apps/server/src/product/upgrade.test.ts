/** What the version before migration 0033 left behind goes on under this one: its books, its lists, its machines. */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { createOlderDatabase, openAsServer, type TestDatabase } from '../db/test-database.ts'
import { a40 } from '../instances/test-rows.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'
import { until, useTestServer } from './test-server.ts'
import { processesOf } from './testing/sandboxes.ts'
import { checkOut, isInHistory, version0032 } from './testing/older-product.ts'

const fixture = (name: string) => readFileSync(new URL(`testing/data-0032.${name}`, import.meta.url), 'utf8')

async function upgraded(): Promise<TestDatabase> {
  const database = await createOlderDatabase('0033')
  await database.pool.query(fixture('sql'))
  await migrate(database.url)
  return openAsServer(database)
}

interface Answers {
  readonly id: string
  readonly balance: string
  readonly billing: readonly { readonly id: string }[]
  readonly [list: string]: unknown
}
const byId = <T extends { readonly id: string }>(items: readonly T[]) =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
const people = Object.entries(JSON.parse(fixture('json')) as Record<string, Answers>)

describe('a database of that version', () => {
  const server = useTestServer({ database: upgraded, worker: false })

  test('has whatever that version wrote: each kind of movement, of status, and what stands aside', async () => {
    const { rows } = await sql<{ values: string[] }>`
      select array_agg(distinct code::text order by code::text) as values from ledger_transfer
      union all select array_agg(distinct status order by status) from gpu_instances
      union all select array_agg(distinct state || coalesce(' ' || held_reason, '') order by state || coalesce(' ' || held_reason, '')) from chain_deposit
      union all select array_agg(distinct kind order by kind) from notice`.execute(
      server.services.database.kysely,
    )
    expect(rows.map(row => row.values.join(' '))).toEqual([
      'credit debit deploy deposit forfeit hold refund release return term usage usage_return',
      'running stopped terminated',
      'credited held account_deleted held below_minimum',
      'balance_empty balance_ending',
    ])
  })

  test.each(people)('answers %s as that version did', async (_, answers) => {
    const { id, balance, billing, key, role, ...lists } = answers
    const { client } = await server.signIn(id)
    expect((await client.wallet.get()).balance_usd).toBe(balance)
    expect({
      deposits: (await client.wallet.deposits()).items,
      instances: (await client.instances.list()).items,
      usage: (await client.activity.usageLogs({ limit: 100 })).items,
      settings: await client.accounts.settings(),
      profile: await client.accounts.profile(),
    }).toMatchObject(lists)
    // That version ordered the bill by time, this one by the order of movements.
    expect(byId((await client.billing.list({ limit: 100 })).items)).toMatchObject(byId(billing))
    expect((await client.accounts.apiKey()).key).toEqual(key)
    expect(await client.accounts.userRole()).toEqual(role)
  })
})

describe('a server that goes on with it', () => {
  const server = useTestServer({ database: upgraded })

  test('finds that its machines are gone and ends them, and starts what was stopped', async () => {
    const db = server.services.database.kysely
    await until(
      () =>
        db
          .selectFrom('gpu_instances')
          .select('name')
          .where('status', 'not in', ['stopped', 'terminated'])
          .execute(),
      moving => moving.length === 0,
    )
    const anna = await server.signIn(people.find(([email]) => email === 'anna@example.com')![1].id)
    const { items } = await anna.client.instances.list()
    for (const { id } of items) await anna.client.instances.start({ id })
    for (const { id } of items)
      await until(
        () => anna.client.instances.get({ id }),
        ({ status }) => status === 'running',
      )
    await server.advance(3_600_000)
    for (const { id } of items) await anna.client.instances.delete({ id })
    await until(
      () => anna.client.instances.list(),
      list => list.items.length === 0,
    )
  })
})

const isPossible = process.env['INGOT_LONG_TESTS'] !== undefined && (await isInHistory(version0032))

describe.skipIf(!isPossible)('a data folder of that version (long form; not in a shallow clone)', () => {
  test(
    'its sandboxes run on, and each costs the time that it ran, whichever version was there',
    { timeout: 180_000 },
    async () => {
      const [folder, dir] = await Promise.all(
        ['older', 'data'].map(name => mkdtemp(join(tmpdir(), `ingot-${name}-`))),
      )
      await chmod(dir!, 0o711)
      let product: Product | null = null
      try {
        await checkOut(version0032, folder!)
        product = await startProduct({ dir: dir!, main: join(folder!, 'apps/server/src/product/main.ts') })
        const admin = product.admin!
        let client = await signIn(product.url, admin)
        const { walletAddress } = await client.wallet.usdtConfig()
        await client.dev.faucet({ address: walletAddress, amount_usdt: '500' })
        await until(
          () => client.wallet.get(),
          wallet => wallet.balance_usd === '500.000000',
        )
        const is = (id: string, status: string) =>
          until(
            () => client.instances.get({ id }),
            each => each.status === status,
            30_000,
          )
        const ids: string[] = []
        for (const name of ['runs-on', 'stops', 'dies', 'goes']) {
          const { id } = await client.instances.create(a40({ name }))
          ids.push(id)
          await is(id, 'running')
        }
        const [runsOn, stops, dies, goes] = ids as [string, string, string, string]
        await client.dev.clock({ advance_ms: 90 * 60_000 })
        await until(
          () => client.billing.list(),
          ({ items }) =>
            items.filter(({ description }) => description.includes('usage')).length >= ids.length,
        )
        await product.kill()
        const before = processesOf(runsOn)
        expect(before).not.toEqual([])
        for (const pid of processesOf(dies)) process.kill(Number(pid), 'SIGKILL')

        product = await startProduct({ dir: dir! })
        client = await signIn(product.url, admin)
        expect(await is(dies, 'stopped')).toMatchObject({ status_reason: 'lost' })
        await is(runsOn, 'running')
        expect(processesOf(runsOn)).toEqual(before)
        await client.instances.stop({ id: stops })
        await client.instances.delete({ id: goes })
        const database = openDatabase(embeddedUrl(dir!))
        try {
          for (const id of [stops, dies]) {
            const { started_at, stopped_at } = await is(id, 'stopped')
            const { rows } = await sql<{ charged: bigint }>`
            select (coalesce((select sum(amount_micro) from usage_line where meter_id = ${id}), 0)
              - coalesce((select sum(amount_micro) from usage_return where meter_id = ${id}), 0))::bigint as charged`.execute(
              database.kysely,
            )
            expect(rows[0]!.charged).toBe(
              (750_000n * BigInt(Date.parse(stopped_at!) - Date.parse(started_at!))) / 3_600_000n,
            )
          }
          await until(
            async () => processesOf(goes),
            pids => pids.length === 0,
            30_000,
          )
          await assertLedgerSound(database.kysely)
          await client.instances.delete({ id: runsOn })
          await until(
            async () => processesOf(runsOn),
            pids => pids.length === 0,
            30_000,
          )
          await assertLedgerSound(database.kysely)
        } finally {
          await database.close()
        }
      } finally {
        await product?.stop()
        for (const each of [dir!, folder!]) await rm(each, { recursive: true, force: true })
      }
    },
  )
})
