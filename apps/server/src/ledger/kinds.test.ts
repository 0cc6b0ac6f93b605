/**
 * Kinds of meter that no room knows, made of a row and a function each: one that closes at an empty balance, one that takes
 * nothing in advance, one that is paid by the month and lapses. All that goes by kind is right of them, through SQL and the API.
 */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { newId } from '../db/ids.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

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
       insert into meter_kind (id, noun, is_looked_at, is_prepaid, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words,
         charged_event, closed_event, lapsed_event, renewed_event, revived_event, ended_by)
       values ('lamp', 'Lamp', false, true, null, 'close', null, 'none', 'light', null, null,
           'lamp.charged', 'lamp.closed', null, null, null, 'end_shelves'),
         ('bell', 'Bell', false, false, null, 'close', null, 'none', 'ringing', null, null,
           'bell.charged', 'bell.closed', null, null, null, 'end_shelves'),
         ('shelf', 'Shelf', false, true, ${month}, 'lapse', 7, 'rest', 'space', 'month in advance', 'unused part of the month',
           null, 'shelf.ended', 'shelf.lapsed', 'shelf.renewed', 'shelf.revived', 'end_shelves')`,
    )
    .execute(server.owner)
})

/** A new meter of a kind at a price per hour, metered from now on. */
async function open(
  user: TestUser,
  kind: 'lamp' | 'bell' | 'shelf',
  price: bigint,
  total: bigint,
): Promise<string> {
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

test('one that takes nothing in advance draws on the wallet from its first moment, and returns nothing', async () => {
  const user = await server.user('3')
  const id = await open(user, 'bell', 1_000_000n, 0n)
  expect(Number(await balance(user))).toBeCloseTo(3, 2)
  await pass(user, hour)
  await ask(sql`select close_meter(${id}, ${now()}, 'delete'), return_prepaid(${id}, ${now()})`)
  const lines = await bill(user, id)
  for (const { description } of lines) expect(description).toMatch(/^my bell: ringing, /)
  const charged = lines.reduce((sum, { amount }) => sum - Number(amount), 0)
  expect(charged).toBeCloseTo(1, 2)
  expect(Number(await balance(user))).toBeCloseTo(3 - charged, 6)
  await expect(open(user, 'lamp', 1_000_000n, 0n)).rejects.toThrow('micro_amount_check')
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

const bill = async (user: TestUser, id: string) =>
  (await user.client.billing.list({ limit: 100 })).items.filter(entry => entry.about?.id === id)

test('their charges are on the bill, and what happened to them in the activity log, under their own words', async () => {
  const user = await server.user('12')
  const lamp = await open(user, 'lamp', 1_000_000n, 500_000n)
  const shelf = await open(user, 'shelf', 7_000n, 5_040_000n)
  await pass(user, 2 * hour)
  const lit = await bill(user, lamp)
  expect(lit.map(({ about }) => about)).toContainEqual({ kind: 'lamp', id: lamp })
  expect(lit[0]).toMatchObject({
    description: expect.stringMatching(/^my lamp: light, [\d.]+ s at \$1\.00 per hour$/) as string,
    instance_id: null,
    status: 'paid',
  })
  await pass(user, month)
  const { client } = user
  const actions = async (filter: Parameters<typeof client.activity.usageLogs>[0]) =>
    (await client.activity.usageLogs(filter)).items.map(({ action }) => action)
  expect(await actions({})).toEqual(expect.arrayContaining(['lamp_charged', 'lamp_closed', 'shelf_lapsed']))
  expect(await actions({ action: 'shelf_lapsed' })).toEqual(['shelf_lapsed'])
  const { items } = await client.activity.usageLogs({ search: 'my shelf' })
  expect(items[0]).toMatchObject({
    action: 'shelf_lapsed',
    instance_name: 'my shelf',
    message: 'The balance does not cover the next month.',
  })
  await credit(user, 30_000_000)
  expect((await bill(user, shelf)).map(({ description, amount }) => `${description} ${amount}`)).toContain(
    'my shelf: month in advance -5.040000',
  )
  expect((await client.billing.list({ search: 'month in advance' })).items).toHaveLength(1)
  const { total } = await client.activity.summary({})
  expect(total).toBe((await actions({ limit: 100 })).length)
})

test('their owner is told when the money ends for them and when their grace does, each by its noun', async () => {
  const user = await server.user('6')
  await open(user, 'shelf', 7_000n, 5_040_000n)
  await open(user, 'lamp', 100_000n, 1n)
  await pass(user, month)
  const subjects = async () =>
    (await listMail(server.services.database.kysely, server.services.vault))
      .filter(mail => mail.to === `${user.id}@example.com`)
      .map(mail => mail.subject)
  const told = async (count: number) => {
    server.services.signals.send('notice')
    return until(subjects, all => all.length >= count)
  }
  expect(await told(3)).toEqual(
    expect.arrayContaining([
      'Your Ingot balance will be used up within 24 hours',
      'Lamp "my lamp" stopped: your Ingot balance is used up',
      'Shelf "my shelf" lapsed: your Ingot balance does not cover the next month',
    ]),
  )
  await pass(user, 7 * day)
  expect(await told(4)).toContain('Shelf "my shelf" deleted: not paid for in time')
})

test('an account that goes ends them: what comes back returns, their nouns are told, and their names are erased', async () => {
  const user = await server.user('40')
  const lamp = await open(user, 'lamp', 1_000_000n, 500_000n)
  const shelf = await open(user, 'shelf', 7_000n, 5_040_000n)
  const left = Number((await user.client.accounts.deletion()).balance_usd)
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'refund' })
  for (const id of [lamp, shelf]) expect(await acts(id)).toEqual(['account_deleted', 'erased'])
  const rows = await ask(sql<{ words: string; micro: bigint }>`
    select description as words, amount_micro as micro from ledger_transfer where ref in (${lamp}, ${shelf}) order by id`)
  expect(rows.map(({ words }) => words)).toEqual(
    expect.arrayContaining([
      'Lamp: first',
      'Shelf: first',
      'Lamp: not returned',
      'Shelf: unused part of the month',
    ]),
  )
  expect(rows.every(({ words }) => !words.includes('my '))).toBe(true)
  const [refund] = await ask(sql<{ micro: bigint }>`
    select amount_micro as micro from ledger_transfer where user_id = ${user.id} and code = 'refund'`)
  expect(Math.abs(Number(refund!.micro) / 1e6 - left)).toBeLessThan(0.01)
  const spans = await ask(
    sql<{ cause: string }>`select cause from meter_span where meter_id = ${shelf} order by id`,
  )
  expect(spans.map(({ cause }) => cause)).toEqual(['opened', 'account_deleted'])
})
