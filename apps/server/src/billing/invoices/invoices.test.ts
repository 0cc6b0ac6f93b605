import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { type TestUser, useTestServer } from '../../product/test-server.ts'
import { closeMonths, issueInvoice } from './issue-invoices.ts'
import { getInvoice, getOpenInvoices } from './queries.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely

/** One dollar an hour; nothing is looked at, so only what it is told counts. */
async function meterOf({ id: userId }: TestUser, name: string, at: string, paid = 1): Promise<string> {
  const id = newId()
  await sql`insert into look_source (id, grace_ms) values ('host', 2000000000) on conflict do nothing`.execute(
    server.owner,
  )
  await sql`select deploy_charge(${userId}, ${id}, ${name}, 1000000, ${paid * 1_000_000}, null, ${`${name}: initial setup`}, ${at})`.execute(
    db(),
  )
  return id
}
const open = (id: string, at: string) => sql`select open_meter(${id}, ${at}, 'host')`.execute(db())
const close = (id: string, at: string) => sql`select close_meter(${id}, ${at}, 'stop')`.execute(db())
const giveBack = (id: string, at: string) => sql`select return_prepaid(${id}, ${at})`.execute(db())
const debit = ({ id }: TestUser, micro: number, at: string) =>
  sql`select debit_wallet(${id}, ${micro}, 'A correction', ${newId()}, ${at})`.execute(server.owner)
const issue = (user: TestUser, month: string, at: string) =>
  server.services.database.kysely
    .transaction()
    .execute(tx => issueInvoice(tx, server.services, user.id, month, at))
const sound = async () => expect(await auditLedger(db())).toEqual([])
const read = (user: TestUser, id: string) => getInvoice(db(), server.services.vault, user.id, id)

test('an invoice holds what its month charged, line by line, and adds up to the cent', async () => {
  const user = await server.user('100')
  const box = await meterOf(user, 'box', '2026-01-10')
  await open(box, '2026-01-10 00:00')
  await close(box, '2026-01-12 00:00:00.001')
  await debit(user, 123_456, '2026-01-20')
  await debit(user, 1_000_000, '2026-02-01')
  const [head, ...more] = await issue(user, '2026-01', '2026-02-02T00:00:00.000Z')
  expect(more).toEqual([])
  expect(head).toMatchObject({ month: '2026-01', kind: 'invoice', status: 'paid', total: '48.120000' })
  const invoice = await read(user, head!.id)
  expect(invoice).toMatchObject({
    subtotal: '48.123456',
    rounding: '-0.003456',
    total: '48.120000',
    tax: null,
  })
  expect(
    invoice.lines.map(({ kind, label, words, amount, hours }) => [kind, label, words, amount, hours]),
  ).toEqual([
    ['deploy', 'box', 'initial setup', '1.000000', null],
    ['usage', 'box', 'usage', '47.000000', 47],
    ['debit', 'A correction', '', '0.123456', null],
  ])
  expect(invoice.lines[1]).toMatchObject({
    from: '2026-01-10T00:00:00.000Z',
    to: '2026-01-12T00:00:00.001Z',
    price_per_hour: '1.000000',
    about: box,
  })
  await sound()
})

test('asking for a closed month settles its wallet first: what ran to its end is on it, and nothing that ran after', async () => {
  const user = await server.user('200')
  const box = await meterOf(user, 'box', '2026-01-31 12:00')
  await open(box, '2026-01-31 12:00')
  const [january] = await issue(user, '2026-01', '2026-02-01T06:00:00.000Z')
  expect(january).toMatchObject({ total: '12.000000' })
  const open_ = await getOpenInvoices(db(), user.id, '2026-02-01T07:00:00.000Z')
  expect(open_.items).toEqual([{ month: '2026-02', so_far: '7.000000', is_over: false }])
  await close(box, '2026-02-02 00:00')
  const [february] = await issue(user, '2026-02', '2026-03-01T00:00:00.000Z')
  expect(february).toMatchObject({ total: '24.000000' })
  const wallet = (await read(user, february!.id)).wallet!
  expect(wallet.opening).toBe((await read(user, january!.id)).wallet!.closing)
  await sound()
})

test('a month that is not over has no invoice, one without charges has none, and a stranger’s is not found', async () => {
  const [user, stranger] = [await server.user('100'), await server.user('100')]
  const now = server.services.clock.iso().slice(0, 7)
  await expect(user.client.invoices.issue({ month: now })).rejects.toMatchObject({
    code: 'invalid_state',
    message: `${now} is not over. Its invoice is made after its last day (UTC).`,
  })
  await expect(user.client.invoices.issue({ month: '2026-13' })).rejects.toMatchObject({
    code: 'validation_failed',
  })
  expect(await user.client.invoices.issue({ month: '2025-12' })).toEqual({ items: [] })
  await debit(user, 1_000_000, '2026-01-05')
  const [january] = (await user.client.invoices.issue({ month: '2026-01' })).items
  expect((await user.client.invoices.list()).items).toEqual([january])
  expect((await user.client.invoices.get({ id: january!.id })).number).toBe(january!.number)
  expect((await stranger.client.invoices.list()).items).toEqual([])
  for (const call of ['get', 'pdf'] as const)
    await expect(stranger.client.invoices[call]({ id: january!.id })).rejects.toMatchObject({
      code: 'not_found',
    })
})

test('two requests at once, and many users at once, give one number each and no gap', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, () => server.user('10')))
  await Promise.all(users.map(user => debit(user, 1_000_000, '2026-01-05')))
  const answers = await Promise.all(
    [...users, ...users, ...users].map(
      async user => (await user.client.invoices.issue({ month: '2026-01' })).items,
    ),
  )
  const numbers = answers.map(items => {
    expect(items).toHaveLength(1)
    return items[0]!.number
  })
  expect(new Set(numbers).size).toBe(6)
  const { rows } = await sql<{ serials: number; last: number }>`
    select count(*)::int as serials, max(serial)::int as last from invoice`.execute(db())
  expect(rows[0]!.serials).toBe(rows[0]!.last)
  await sound()
})

test('what is charged later for a closed month stands on the next invoice under its own dates', async () => {
  const user = await server.user('100')
  await debit(user, 1_000_000, '2026-01-05')
  await issue(user, '2026-01', '2026-02-01T00:00:00.000Z')
  await debit(user, 2_000_000, '2026-01-06')
  expect(await issue(user, '2026-01', '2026-02-01T01:00:00.000Z')).toMatchObject([{ total: '1.000000' }])
  await debit(user, 4_000_000, '2026-02-07')
  await debit(user, 8_000_000, '2026-03-07')
  const [february] = await issue(user, '2026-02', '2026-03-08T00:00:00.000Z')
  expect(february).toMatchObject({ total: '6.000000' })
  expect(
    (await read(user, february!.id)).lines.map(({ from, amount }) => [from.slice(0, 10), amount]),
  ).toEqual([
    ['2026-01-06', '2.000000'],
    ['2026-02-07', '4.000000'],
  ])
  expect(await issue(user, '2026-03', '2026-04-01T00:00:00.000Z')).toMatchObject([{ total: '8.000000' }])
  await sound()
})

test('what is returned for a closed month is a credit note with a number of its own; within the month it is a line', async () => {
  const user = await server.user('500')
  const [long, short] = [
    await meterOf(user, 'long', '2026-01-10', 100),
    await meterOf(user, 'short', '2026-01-11', 10),
  ]
  await giveBack(short, '2026-01-12')
  const [january] = await issue(user, '2026-01', '2026-02-01T00:00:00.000Z')
  expect(january).toMatchObject({ total: '100.000000' })
  expect((await read(user, january!.id)).lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['deploy', '100.000000'],
    ['deploy', '10.000000'],
    ['return', '-10.000000'],
  ])
  await giveBack(long, '2026-02-03')
  await debit(user, 3_000_000, '2026-02-04')
  const both = await issue(user, '2026-02', '2026-03-01T00:00:00.000Z')
  expect(both.map(({ kind, status, total }) => [kind, status, total])).toEqual([
    ['invoice', 'paid', '3.000000'],
    ['credit_note', 'credited', '-100.000000'],
  ])
  expect(new Set([january!.number, ...both.map(({ number }) => number)]).size).toBe(3)
  expect(await read(user, both[1]!.id)).toMatchObject({
    wallet: null,
    lines: [{ kind: 'return', label: 'long', amount: '-100.000000', corrects: january!.number }],
  })
  await sound()
})

test('usage that is returned after its month was invoiced is on a credit note', async () => {
  const user = await server.user('100')
  const box = await meterOf(user, 'box', '2026-01-31 20:00')
  await open(box, '2026-01-31 20:00')
  await close(box, '2026-02-01 02:00')
  const [january] = await issue(user, '2026-01', '2026-02-01T02:30:00.000Z')
  expect(january).toMatchObject({ total: '4.000000' })
  await server.owner.transaction().execute(async tx => {
    await sql`update meter set seen_at = '2026-01-31 22:00', is_missed = true where id = ${box}`.execute(tx)
  })
  await sql`select count(*) from end_meter(${box}, '2026-01-31 23:00', '2026-02-01 03:00')`.execute(db())
  const february = await issue(user, '2026-02', '2026-03-01T00:00:00.000Z')
  expect(february.map(({ kind, total }) => [kind, total])).toEqual([
    ['invoice', '2.000000'],
    ['credit_note', '-3.000000'],
  ])
  expect((await read(user, february[1]!.id)).lines).toMatchObject([
    { kind: 'usage_return', from: '2026-01-31T23:00:00.000Z', corrects: january!.number },
  ])
  await sound()
})

test(
  'the invoice of a month with 10,000 lines of the bill equals the ledger',
  { timeout: 60_000 },
  async () => {
    const user = await server.user('50000')
    const names = Array.from({ length: 40 }, (_, n) => `box-${n}`)
    const boxes = await Promise.all(names.map(name => meterOf(user, name, '2026-03-01')))
    for (const box of boxes) await open(box, '2026-03-01')
    // 40 instances are settled together, 250 times, at odd milliseconds.
    await sql`select count(*) from generate_series(1, 250) n,
    settle_wallets(array[${user.id}]::uuid[], timestamptz '2026-03-01' + n * interval '7101.007 s')`.execute(
      server.owner,
    )
    for (const box of boxes) await close(box, '2026-03-21 19:00')
    const [march] = await issue(user, '2026-03', '2026-04-02T00:00:00.000Z')
    const invoice = await read(user, march!.id)
    expect(invoice.lines.reduce((sum, { charges }) => sum + charges, 0)).toBeGreaterThan(10_000)
    expect(invoice.lines).toHaveLength(80)
    const { rows } = await sql<{ micro: bigint }>`
    select sum(case when from_account = w.account_id then amount_micro else -amount_micro end)::bigint as micro
    from ledger_transfer t join wallets w on w.user_id = t.user_id and w.account_id in (from_account, to_account)
    where t.user_id = ${user.id} and code not in ('deposit', 'credit') and t.effective_at <= '2026-04-01'`.execute(
      db(),
    )
    expect(parseUsd(invoice.subtotal)).toBe(rows[0]!.micro)
    expect(invoice.lines.reduce((sum, { amount }) => sum + parseUsd(amount), 0n)).toBe(rows[0]!.micro)
    expect(formatUsd(parseUsd(invoice.subtotal) + parseUsd(invoice.rounding))).toBe(invoice.total)
    // Every box ran for 499 hours at a dollar, to the micro-dollar.
    expect(invoice.total).toBe(`${40 * 499}.000000`)
    await sound()
  },
)

test('an invoice is never changed, by nobody', async () => {
  const user = await server.user('100')
  await debit(user, 1_000_000, '2026-01-05')
  await issue(user, '2026-01', '2026-02-01T00:00:00.000Z')
  for (const table of ['invoice', 'invoice_line', 'invoice_month'])
    for (const statement of [
      `update ${table} set ${table === 'invoice_line' ? 'label' : 'user_id'} = ${table === 'invoice_line' ? 'label' : 'user_id'}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      await expect(sql.raw(statement).execute(server.owner), statement).rejects.toThrow('is append-only')
      await expect(sql.raw(statement).execute(db()), statement).rejects.toThrow('permission denied')
    }
})

test('what is told of the customer and the operator is frozen, and sealed', async () => {
  const user = await server.user('100')
  const details = { name: 'Ada Lovelace', address: 'St James’s Square 12\nLondon', tax_number: 'GB 123' }
  expect(await user.client.invoices.customer({})).toEqual({ name: '', address: '', tax_number: '' })
  await user.client.invoices.setCustomer(details)
  expect(await user.client.invoices.customer({})).toEqual(details)
  await debit(user, 1_000_000, '2026-01-05')
  const [january] = (await user.client.invoices.issue({ month: '2026-01' })).items
  await user.client.invoices.setCustomer({ ...details, name: 'Somebody else' })
  expect((await read(user, january!.id)).customer).toMatchObject(details)
  const { rows } = await sql<{ text: string }>`
    select encode(customer_sealed, 'escape') || (select encode(sealed, 'escape') from billing_details d where d.user_id = i.user_id) as text
    from invoice i where user_id = ${user.id}`.execute(db())
  expect(rows[0]!.text).not.toContain('Ada')
  await expect(
    user.client.invoices.setCustomer({ ...details, address: 'x'.repeat(401) }),
  ).rejects.toMatchObject({ code: 'validation_failed' })
})

test('prices include the tax that is set, and the invoice says how much it is', async () => {
  const user = await server.user('100')
  await debit(user, 11_900_000, '2026-01-05')
  const { seller } = server.services.config.invoices
  const config = {
    invoices: { prefix: 'X', seller: { ...seller, name: 'Cloud GmbH', tax_name: 'VAT', tax_rate: 1900 } },
  }
  await closeMonths(db(), { ...server.services, config }, user.id, '2026-01', '2026-02-01T00:00:00.000Z')
  const [head] = (await user.client.invoices.list()).items
  expect(head!.number).toMatch(/^X-2026-\d{6}$/)
  expect(await read(user, head!.id)).toMatchObject({
    total: '11.900000',
    tax: { name: 'VAT', percent: 19, amount: '1.900000' },
    seller: { name: 'Cloud GmbH' },
  })
  await sound()
})

test('every kind of movement is on invoices or is not, by decision', async () => {
  const { rows } = await sql<{ codes: string[]; definition: string }>`
    select pg_get_constraintdef(c.oid) as definition from pg_constraint c join pg_type t on t.oid = c.contypid
    where t.typname = 'ledger_code'`.execute(db())
  const codes = [...rows[0]!.definition.matchAll(/'(\w+)'::text/g)].map(match => match[1]!)
  const { rows: invoiced } = await sql<{ code: string }>`
    select code from unnest(${codes}::text[]) code where is_invoiced(code)`.execute(db())
  const isOn = new Set(invoiced.map(({ code }) => code))
  expect([...isOn].toSorted()).toEqual([
    'debit',
    'deploy',
    'growth',
    'renewal',
    'return',
    'usage',
    'usage_return',
  ])
  // `term` moves within what was prepaid. The rest is money that comes in, is set aside, or is paid out; credit pays, as money does.
  expect(codes.filter(code => !isOn.has(code)).toSorted()).toEqual([
    'credit',
    'credit_back',
    'credit_grant',
    'credit_lapse',
    'credit_used',
    'deposit',
    'forfeit',
    'hold',
    'payout',
    'refund',
    'release',
    'term',
  ])
})

test('the database rounds to the cent as the contract does', async () => {
  const micro = [
    0n,
    1n,
    4_999n,
    5_000n,
    5_001n,
    15_000n,
    25_000n,
    35_000n,
    -5_000n,
    -15_000n,
    -15_001n,
    123_456n,
  ]
  const { rows } = await sql<{ cents: bigint }>`
    select to_cent(m) as cents from unnest(${micro}::bigint[]) with ordinality a(m, n) order by n`.execute(
    db(),
  )
  expect(rows.map(({ cents }) => Number(cents) / 10_000)).toEqual([0, 0, 0, 0, 1, 2, 2, 4, 0, -2, -2, 12])
})
