/** What is paid by the month, when its month is over or its wallet is empty. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await database.pool.query(`
    create function end_scratch(uuid[], timestamptz[], text, timestamptz) returns void language sql as 'select';
    insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words,
      return_words, charged_event, ended_by)
    values ('scratch', 'Scratch', false, 2592000000, 'lapse', 7, 'rest', 'use', 'month', 'rest of the month', null, 'end_scratch'),
      ('lamp', 'Lamp', false, null, 'close', null, 'rest', 'light', null, 'rest', 'lamp.charged', 'end_scratch')`)
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

const ask = async (text: string, values: unknown[]) => (await database.pool.query(text, values)).rows[0]

/** A meter at $0.001 an hour from 1 April on, in a wallet that holds so much beside its first month of $0.72. */
async function monthly(micro: number): Promise<{ userId: string; id: string }> {
  const [userId, id] = [newId(), newId()]
  await ask('insert into auth_user (id) values ($1)', [userId])
  await ask(`select credit_wallet($1, $2, 'gift', $3, '2026-04-01')`, [userId, 720_000 + micro, newId()])
  await ask(
    `select deploy_charge($1, $2, 'box', 1000, 720000, null, 'box: month', '2026-04-01', false, 'scratch')`,
    [userId, id],
  )
  await ask(`select open_meter($1, '2026-04-01')`, [id])
  return { userId, id }
}

test('what lapsed in a wallet in which nothing else runs is over after its grace', async () => {
  const { userId, id } = await monthly(100)
  const meter = 'select lapsed_at, due_at from meter join wallets using (user_id) where id = $1'
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-02')`, [userId])
  expect(await ask(meter, [id])).toEqual({
    lapsed_at: '2026-05-01T00:00:00.000Z',
    due_at: '2026-05-08T00:00:00.000Z',
  })
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-08')`, [userId])
  expect(await ask(meter, [id])).toEqual({ lapsed_at: null, due_at: null })
})

test('past the end of its month a meter draws nothing, however late the round that renews it', async () => {
  const { userId } = await monthly(5_000)
  expect(await ask(`select wallet_accrued($1, '2026-05-01 04:00') as micro`, [userId])).toEqual({ micro: 0n })
})

test.each([
  ['after it lapsed', '2026-05-02'],
  ['before anybody noticed that its month was over', '2026-05-03'],
])('what is deleted %s is over: no money revives it', async (_, noticed) => {
  const { userId, id } = await monthly(100)
  if (noticed < '2026-05-03')
    await ask(`select count(*) from settle_wallets(array[$1::uuid], $2)`, [userId, noticed])
  await ask(`select count(*) from close_meter($1, '2026-05-03', 'delete')`, [id])
  await ask(`select return_prepaid($1, '2026-05-03')`, [id])
  await ask(`select credit_wallet($1, 5000000, 'gift', $2, '2026-05-04')`, [userId, newId()])
  expect(
    await ask(
      `select m.metered_to, m.lapsed_at, m.renews_at, a.balance_micro, w.due_at,
        (select array_agg(cause order by id) from meter_span where meter_id = m.id) as causes
      from meter m join wallets w using (user_id) join ledger_account a on a.id = w.account_id where m.id = $1`,
      [id],
    ),
  ).toEqual({
    metered_to: null,
    lapsed_at: null,
    renews_at: null,
    balance_micro: 5_000_100n,
    due_at: null,
    causes: ['opened', 'lapsed', 'delete'],
  })
})

test('a grace that ends in the settlement of a stop, while something else stays lapsed, leaves the last line to that stop', async () => {
  const { userId } = await monthly(100)
  const [later, lamp] = [newId(), newId()]
  await ask(`select credit_wallet($1, 1440000, 'gift', $2, '2026-04-05')`, [userId, newId()])
  await ask(
    `select deploy_charge($1, $2, 'box', 2000, 1440000, null, 'box: month', '2026-04-05', false, 'scratch'), open_meter($2, '2026-04-05')`,
    [userId, later],
  )
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-07 23:00')`, [userId])
  await ask(`select credit_wallet($1, 500000, 'gift', $2, '2026-05-07 23:00')`, [userId, newId()])
  await ask(
    `select deploy_charge($1, $2, 'lamp', 1000, 100000, null, 'lamp: first', '2026-05-07 23:00', false, 'lamp'), open_meter($2, '2026-05-07 23:00')`,
    [userId, lamp],
  )
  // The first is over at midnight.
  const line = await ask(
    `select to_at, amount_micro, closed_at from close_meter($1, '2026-05-08 01:00', 'stop')`,
    [lamp],
  )
  expect(line).toEqual({ to_at: '2026-05-08T01:00:00.000Z', amount_micro: 1_000n, closed_at: null })
})

interface Notice {
  readonly kind: string
  readonly channel: string
  readonly items: readonly { ends_at: string }[]
}
const told = async (userId: string) =>
  (
    await database.pool.query<Notice>(
      `select kind, channel, items from notice where user_id = $1 and kind like 'lapse%' order by kind desc, channel`,
      [userId],
    )
  ).rows.map(({ kind, channel, items }) => `${kind} ${channel} ${items.length}`)

test('what lapsed is told when it does, and on days 1, 3 and 6 how long it is kept: each once, the last by text too', async () => {
  const { userId } = await monthly(100)
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-01')`, [userId])
  expect(await told(userId)).toEqual(['lapsed mail 1', 'lapsed sms 1'])
  const mails: number[] = []
  for (const when of ['01 23:59', '02 00:00', '02 12:00', '04 00:00', '06 23:59', '07 00:00', '07 23:59']) {
    for (const _ of ['once', 'again']) await ask(`select note_graces($1)`, [`2026-05-${when}`])
    const [row] = (
      await database.pool.query<Notice>(
        `select items from notice where user_id = $1 and kind = 'lapse_ending' and channel = 'mail'`,
        [userId],
      )
    ).rows
    mails.push(row?.items.length ?? 0)
    for (const { ends_at } of row?.items ?? [])
      expect(Date.parse(ends_at)).toBe(Date.parse('2026-05-08T00:00Z'))
  }
  expect(mails).toEqual([0, 1, 1, 2, 2, 3, 3])
  expect(await told(userId)).toEqual([
    'lapsed mail 1',
    'lapsed sms 1',
    'lapse_ending mail 3',
    'lapse_ending sms 1',
  ])
})

test('where the clock leaps over several days of a grace only the last is told, and money that revives it ends the countdown', async () => {
  const { userId, id } = await monthly(100)
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-01')`, [userId])
  await ask(`select note_graces('2026-05-07 12:00')`, [])
  expect(await told(userId)).toContain('lapse_ending mail 1')
  await ask(`select credit_wallet($1, 720000, 'gift', $2, '2026-05-07 13:00')`, [userId, newId()])
  expect(await ask('select lapsed_at, is_running from meter where id = $1', [id])).toEqual({
    lapsed_at: null,
    is_running: true,
  })
  await ask(`select note_graces('2026-05-07 14:00')`, [])
  expect(await told(userId)).toContain('lapse_ending mail 1')
  // Its month began when it lapsed. The next time is counted by itself.
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-06-01')`, [userId])
  await ask(`select note_graces('2026-06-01 12:00')`, [])
  expect(await told(userId)).toContain('lapse_ending mail 2')
})

test('whoever asks for what lapsed has it back where the wallet covers its month, and hears what is missing where not', async () => {
  const { userId, id } = await monthly(100)
  await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-05-02')`, [userId])
  const revive = (at: string) => ask('select revive_meter($1, $2)', [id, at])
  await expect(revive('2026-05-02')).rejects.toMatchObject({ code: 'IN402', detail: '720000' })
  await ask(`select credit_wallet($1, 719900, 'gift', $2, '2026-05-03')`, [userId, newId()])
  await revive('2026-05-04')
  expect(await ask('select lapsed_at, metered_to from meter where id = $1', [id])).toEqual({
    lapsed_at: null,
    metered_to: '2026-05-04T00:00:00.000Z',
  })
  await revive('2026-05-04')
  await ask(`select count(*) from close_meter($1, '2026-05-05', 'delete')`, [id])
  await expect(revive('2026-05-05')).rejects.toMatchObject({ code: 'IN409' })
})
