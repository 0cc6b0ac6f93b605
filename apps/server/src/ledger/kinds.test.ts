/**
 * Two kinds of meter that no room knows, made of a row and a function each: one that closes at an empty balance, one that
 * is paid by the month and lapses. All that goes by kind is right of them, through SQL and the API.
 */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()
const hour = 3_600_000
const day = 24 * hour
const month = 30 * day

const ask = async <Row>(query: ReturnType<typeof sql<Row>>) => (await query.execute(server.owner)).rows
const now = () => server.services.clock.iso()

beforeAll(async () => {
  await sql
    .raw(
      `create table shelf_act (n serial, id uuid, cause text, at timestamptz);
       grant all on shelf_act, shelf_act_n_seq to public;
       create function end_shelves(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language sql as
         'insert into shelf_act (id, cause, at) select id, p_cause, at from unnest(p_ids, p_times) e(id, at)';
       insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words,
         charged_event, closed_event, lapsed_event, renewed_event, revived_event, ended_by)
       values ('lamp', 'Lamp', false, null, 'close', null, 'none', 'light', null, null,
           'lamp.charged', 'lamp.closed', null, null, null, 'end_shelves'),
         ('shelf', 'Shelf', false, ${month}, 'lapse', 7, 'rest', 'space', 'month in advance', 'unused part of the month',
           null, 'shelf.ended', 'shelf.lapsed', 'shelf.renewed', 'shelf.revived', 'end_shelves')`,
    )
    .execute(server.owner)
})

/** A new meter of a kind at a price per hour, metered from now on. */
async function open(user: TestUser, kind: 'lamp' | 'shelf', price: bigint, total: bigint): Promise<string> {
  const id = newId()
  await ask(sql`select deploy_charge(${user.id}, ${id}, ${`my ${kind}`}, ${price}, ${total}, null, ${`my ${kind}: first`}, ${now()},
    false, ${kind}), open_meter(${id}, ${now()})`)
  return id
}
const meter = async (id: string) =>
  (
    await ask(
      sql<{
        metered_to: string | null
        lapsed_at: string | null
        renews_at: string | null
      }>`select metered_to, lapsed_at, renews_at from meter where id = ${id}`,
    )
  )[0]!
const acts = async (id: string) =>
  (await ask(sql<{ cause: string }>`select cause from shelf_act where id = ${id} order by n`)).map(
    act => act.cause,
  )
const facts = async (id: string) =>
  (await ask(sql<{ type: string }>`select type from event where subject_id = ${id} order by id`)).map(
    fact => fact.type,
  )
/** Moves the clock and waits until the user's wallet is settled. */
async function pass(user: TestUser, ms: number): Promise<void> {
  await server.advance(ms)
  await until(
    () => ask(sql<{ due_at: string | null }>`select due_at from wallets where user_id = ${user.id}`),
    ([wallet]) => wallet!.due_at === null || wallet!.due_at > now(),
  )
}
const credit = (user: TestUser, micro: number) =>
  ask(sql`select credit_wallet(${user.id}, ${micro}, 'Gift', ${newId()}, ${now()})`)
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd

test('one that closes draws on the wallet after what was prepaid, and closes when the money ends', async () => {
  const user = await server.user('3')
  const id = await open(user, 'lamp', 1_000_000n, 500_000n)
  const { empty_at, spending_per_hour, drawing_per_hour } = await user.client.wallet.get()
  expect({ spending_per_hour, drawing_per_hour }).toEqual({
    spending_per_hour: '1.000000',
    drawing_per_hour: '0.000000',
  })
  await pass(user, 10 * hour)
  expect(await meter(id)).toMatchObject({ metered_to: null, lapsed_at: null })
  const [closed] = await ask(
    sql<{ at: string }>`select at from meter_span where meter_id = ${id} and what = 'close'`,
  )
  expect(closed!.at).toBe(empty_at)
  expect(await acts(id)).toEqual(['balance_empty'])
  expect((await facts(id)).at(-1)).toBe('lamp.closed')
  expect(await balance(user)).toBe('0.000000')
})

test('one by the month renews while the wallet covers it, lapses alone, is revived by a deposit, and ends with its grace', async () => {
  const user = await server.user('15')
  // $5.04 a month.
  const id = await open(user, 'shelf', 7_000n, 5_040_000n)
  const began = Date.parse((await meter(id)).metered_to!)
  const lamp = await open(user, 'lamp', 1_000n, 1n)
  expect(Date.parse((await user.client.wallet.get()).empty_at!)).toBe(began + 2 * month - 1)
  await pass(user, month)
  expect(Date.parse((await meter(id)).renews_at!)).toBe(began + 2 * month)
  expect(await facts(id)).toEqual(['shelf.renewed'])
  await pass(user, month)
  expect(Date.parse((await meter(id)).lapsed_at!)).toBe(began + 2 * month)
  expect((await meter(lamp)).metered_to).not.toBeNull()
  expect(await acts(id)).toEqual(['lapsed'])
  await pass(user, 3 * day)
  await credit(user, 6_000_000)
  expect(await meter(id)).toMatchObject({ lapsed_at: null })
  expect(Date.parse((await meter(id)).renews_at!)).toBe(began + 3 * month)
  expect(await acts(id)).toEqual(['lapsed', 'revived'])
  await pass(user, month)
  expect(Date.parse((await meter(id)).lapsed_at!)).toBe(began + 3 * month)
  await pass(user, 7 * day)
  expect(await meter(id)).toMatchObject({ lapsed_at: null, metered_to: null })
  expect(await acts(id)).toEqual(['lapsed', 'revived', 'lapsed', 'grace_over'])
  await credit(user, 60_000_000)
  expect(await meter(id)).toMatchObject({ lapsed_at: null, metered_to: null })
  expect(await facts(id)).toEqual([
    'shelf.renewed',
    'shelf.lapsed',
    'shelf.revived',
    'shelf.lapsed',
    'shelf.ended',
  ])
})
