import { type BillingEntry, billingLineKinds } from '@ingot/contracts/billing'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { auditLedger } from '../ledger/audit.ts'
import { mostLookedAt } from '../db/page.ts'
import { type TestUser, useTestServer } from '../product/test-server.ts'
import { getSpending, listBilling } from './queries.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
/** Moves money by hand. */
const owner = () => server.owner

const credit = ({ id }: TestUser, words: string, at: string, count = 1) =>
  sql`select credit_wallet(${id}, 1, ${words}, gen_random_uuid(), ${at}) from generate_series(1, ${count})`.execute(
    owner(),
  )
const debit = ({ id }: TestUser, micro: number, words: string, at: string) =>
  sql`select debit_wallet(${id}, ${micro}, ${words}, ${newId()}, ${at})`.execute(owner())
const deposit = ({ id }: TestUser, state: string, at: string) =>
  sql`insert into chain_deposit (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state)
    values (${newId()}, 'devnet', sha256(${newId()}::text::bytea), 0, ${id}, 5, ${at}, '\x01', '\x02', 4000000, ${state})`.execute(
    owner(),
  )

async function wholeList(user: TestUser, input: Parameters<TestUser['client']['billing']['list']>[0]) {
  const pages: BillingEntry[][] = []
  let cursor: string | undefined
  do {
    const page = await user.client.billing.list({ ...input, cursor })
    pages.push(page.items)
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return pages
}

test('pages of any size hold each line once, deposits on their way at their time among them', async () => {
  const user = await server.user()
  for (let day = 1; day <= 9; day++) {
    await credit(user, `gift ${day}`, `2026-01-0${day}T12:00:00Z`)
    if (day % 3 === 0) await deposit(user, day === 9 ? 'pending' : 'orphaned', `2026-01-0${day}T13:00:00Z`)
  }
  await sql`select hold_funds(${user.id}, 'hold', 2, 'Set aside', ${newId()}, '2026-01-10')`.execute(owner())
  const [whole] = await wholeList(user, { limit: 100 })
  expect(whole!.map(line => line.description.slice(0, 12))).toEqual([
    'Set aside',
    'Deposit of 4',
    'gift 9',
    'gift 8',
    'gift 7',
    'Deposit of 4',
    'gift 6',
    'gift 5',
    'gift 4',
    'Deposit of 4',
    'gift 3',
    'gift 2',
    'gift 1',
  ])
  for (const limit of [1, 2, 3, 5, 12, 13]) {
    expect((await wholeList(user, { limit })).flat()).toEqual(whole)
    for (const status of ['paid', 'pending', 'failed', 'refunded'] as const)
      expect((await wholeList(user, { limit, status })).flat()).toEqual(
        whole!.filter(line => line.status === status),
      )
    expect((await wholeList(user, { limit, search: 'DEPOSIT' })).flat()).toEqual(
      whole!.filter(line => line.description.startsWith('Deposit')),
    )
  }
})

test('a list is narrowed by kind, by instance and by days, alone and together, and so is the file', async () => {
  const user = await server.user()
  await credit(user, 'gift', '2026-01-01T12:00:00Z', 30)
  await deposit(user, 'pending', '2026-01-05T13:00:00Z')
  await sql`select credit_wallet(${user.id}, 90000000, 'Much', ${newId()}, '2026-01-02')`.execute(owner())
  const [hourly, term] = [newId(), newId()]
  const charge = (id: string, until: string | null) =>
    sql`select deploy_charge(${user.id}, ${id}, 'box', 1000000, 2000000, ${until}, 'box: initial setup', '2026-01-03')`.execute(
      db(),
    )
  await charge(hourly, null)
  await charge(term, '2026-04-03')
  await sql`select return_prepaid(${hourly}, '2026-01-04T23:59:59.999Z')`.execute(db())
  await debit(user, 1, 'Fee', '2026-01-05')
  await sql`select hold_funds(${user.id}, 'hold', 2, 'Set aside', ${newId()}, '2026-01-06')`.execute(owner())
  const whole = (await wholeList(user, { limit: 100 })).flat()
  expect(whole.map(({ kind }) => kind)).toEqual([
    'hold',
    'deposit',
    'debit',
    'return',
    'term',
    'deploy',
    ...Array.from({ length: 31 }, () => 'credit'),
  ])
  for (const kind of billingLineKinds)
    expect((await wholeList(user, { limit: 7, kind })).flat(), kind).toEqual(
      whole.filter(line => line.kind === kind),
    )
  expect((await wholeList(user, { limit: 2, instance: hourly })).flat()).toEqual(
    whole.filter(line => line.instance_id === hourly),
  )
  expect((await wholeList(user, { instance: newId() })).flat()).toEqual([])
  const days = (from?: string, to?: string) =>
    wholeList(user, { limit: 3, from, to }).then(pages => pages.flat())
  expect((await days('2026-01-04', '2026-01-05')).map(({ kind }) => kind)).toEqual([
    'deposit',
    'debit',
    'return',
  ])
  expect(await days('2026-01-03')).toEqual(whole.slice(0, 6))
  expect(await days(undefined, '2026-01-02')).toEqual(whole.slice(6))
  expect(await days('2026-01-05', '2026-01-04')).toEqual([])
  const file = await user.client.billing.export({
    kind: 'return',
    instance: hourly,
    from: '2026-01-04',
    to: '2026-01-04',
  })
  expect((await file.text()).split('\r\n')).toHaveLength(3)
  await expect(user.client.billing.list({ from: '2026-02-30' })).rejects.toMatchObject({
    code: 'validation_failed',
  })
})

test('a search looks at so many lines for one page, and finds what is older on the pages after', async () => {
  const user = await server.user()
  await credit(user, 'the needle', '2026-01-01')
  await deposit(user, 'orphaned', '2026-01-02')
  // Each in a transaction of its own: one alone would look at every version of the wallet that it left behind.
  for (let n = 0; n < mostLookedAt; n += 500) await credit(user, 'hay', '2026-01-03', 500)
  const pages = await wholeList(user, { search: 'e' })
  expect(pages.map(lines => lines.map(line => line.description))).toEqual([
    [],
    ['Deposit of 4.00 USDT, dropped by the network', 'the needle'],
  ])
  const { fileName, ...file } = await user.client.billing.export({ search: 'needle' })
  expect([fileName, (await file.text()).split('\r\n')[1]]).toEqual([
    'billing.csv',
    expect.stringMatching(/^2026-01-01T00:00:00.000Z,the needle,paid,0.000001,,[\da-f-]{36},credit$/),
  ])
})

test('a search repeats no line when movements arrive while a page is read', async () => {
  const user = await server.user()
  await credit(user, 'the first', '2026-01-01', 9)
  await credit(user, 'the needle', '2026-01-01')
  for (let n = 0; n < mostLookedAt; n += 500) await credit(user, 'hay', '2026-01-03', n ? 500 : 498)
  const arriving = db().withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await credit(user, 'just now', '2026-01-04', 5)
      return result
    },
  })
  const { database } = server.services
  const first = await listBilling({ ...database, kysely: arriving }, user.id, { search: 'needle', limit: 10 })
  const second = await listBilling(database, user.id, {
    search: 'needle',
    limit: 10,
    cursor: first.next_cursor!,
  })
  expect([...first.items, ...second.items]).toHaveLength(1)
})

test('the file holds every line that matches, whatever a page holds, and nobody else’s', async () => {
  const [user, stranger] = [await server.user(), await server.user()]
  await credit(user, '=HYPERLINK("x")', '2026-01-01', 150)
  await debit(user, 100, 'all of it', '2026-02-01')
  const text = async ({ client }: TestUser, input = {}) => (await client.billing.export(input)).text()
  const lines = (await text(user)).split('\r\n')
  expect(lines).toHaveLength(1 + 151 + 1)
  expect(lines[0]).toBe('time,description,status,amount_usd,instance_id,id,kind')
  expect(lines[1]).toMatch(/^2026-02-01T00:00:00.000Z,all of it,paid,-0.000100,,/)
  expect(lines[2]).toContain(`"'=HYPERLINK(""x"")"`)
  expect((await text(user, { status: 'refunded' })).split('\r\n')).toHaveLength(2)
  expect((await text(stranger)).split('\r\n')).toHaveLength(2)
})

test('what was spent is the same before and after it was counted, and with what is spent since', async () => {
  const user = await server.user('10')
  const at = '2026-02-15T00:00:00.000Z'
  const spending = () => getSpending(db(), user.id, at)
  const count = () => sql`select count_spending(array[${user.id}]::uuid[])`.execute(db())
  await debit(user, 1_000_000, 'January', '2026-01-20')
  await debit(user, 200_000, 'February', '2026-02-01')
  const expected = { spent: '0.200000', total_spent: '1.200000' }
  expect(await spending()).toMatchObject(expected)
  await count()
  expect(await spending()).toMatchObject(expected)
  await count()
  expect(await spending()).toMatchObject(expected)
  await debit(user, 30_000, 'February, late', '2026-02-02')
  await debit(user, 4_000, 'January, late', '2026-01-31')
  expect(await spending()).toMatchObject({ spent: '0.230000', total_spent: '1.234000' })
  await count()
  expect(await spending()).toMatchObject({ spent: '0.230000', total_spent: '1.234000' })
})

test('time that was charged across the end of a month counts in each of its months', async () => {
  const user = await server.user('10')
  const meter = newId()
  await sql`select deploy_charge(${user.id}, ${meter}, 'box', 1000000, 1000000, null, 'box: initial setup', '2026-01-31')`.execute(
    db(),
  )
  await sql`insert into look_source (id, grace_ms) values ('host', 86400000)`.execute(owner())
  await sql`select open_meter(${meter}, '2026-01-31 23:30', 'host')`.execute(db())
  await sql`select close_meter(${meter}, '2026-02-01 00:15', 'stop')`.execute(db())
  const minutes = async (at: string) => (await getSpending(db(), user.id, at)).usage_minutes
  const both = async () => [
    await minutes('2026-01-31T23:59:59.000Z'),
    await minutes('2026-02-02T00:00:00.000Z'),
  ]
  expect(await both()).toEqual([30, 15])
  await sql`select count_spending(array[${user.id}]::uuid[])`.execute(db())
  expect(await both()).toEqual([30, 15])
})

test('what ran before the first of a month is spent in the month before, settled or not, counted or not', async () => {
  const user = await server.user('10')
  const meter = newId()
  await sql`select deploy_charge(${user.id}, ${meter}, 'box', 3600000, 1, null, 'box: initial setup', '2026-01-31')`.execute(
    db(),
  )
  await sql`insert into look_source (id, grace_ms) values ('host', 86400000) on conflict do nothing`.execute(
    owner(),
  )
  await sql`select open_meter(${meter}, '2026-01-31 23:30', 'host')`.execute(db())
  const february = () => getSpending(db(), user.id, '2026-02-01T00:15:00.000Z')
  const expected = { spent: '0.900000', total_spent: '2.700000', usage_minutes: 15 }
  expect(await february()).toMatchObject(expected)
  await sql`select close_meter(${meter}, '2026-02-01 00:15', 'stop')`.execute(db())
  expect(await february()).toMatchObject(expected)
  await sql`select count_spending(array[${user.id}]::uuid[])`.execute(db())
  expect(await february()).toMatchObject(expected)
  expect(await auditLedger(db())).toEqual([])
})

test('sums that are counted by several at once while money moves add up to what moved', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => server.user('10')))
  const at = server.services.clock.iso()
  const roll = async () => {
    for (;;) {
      const { rows } = await sql<{ more: boolean }>`select roll_up_spending(25) as more`.execute(db())
      if (!rows[0]!.more) return
    }
  }
  await Promise.all(
    users.flatMap(user => [
      ...Array.from({ length: 40 }, () => debit(user, 1_000, 'one', at)),
      ...Array.from({ length: 4 }, () =>
        sql`select count_spending(${users.map(each => each.id)}::uuid[])`.execute(db()),
      ),
      roll(),
    ]),
  )
  await roll()
  for (const { id } of users) {
    expect((await getSpending(db(), id, at)).total_spent).toBe('0.040000')
    const { rows } = await sql<{ sum: bigint }>`
      select sum(spent_micro)::bigint as sum from spending_month where user_id = ${id}`.execute(db())
    expect(formatUsd(rows[0]!.sum)).toBe(formatUsd(parseUsd('0.040000')))
  }
})
