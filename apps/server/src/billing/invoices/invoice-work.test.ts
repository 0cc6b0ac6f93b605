import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { newId } from '../../db/ids.ts'
import { a40 } from '../../instances/test-rows.ts'
import { until, useTestServer } from '../../product/test-server.ts'
import { invoiceWork, lastMonthToClose } from './invoice-work.ts'

const server = useTestServer()
const day = 86_400_000

test('a month is closed some hours after it ends', () => {
  const at = (text: string) => lastMonthToClose(Date.parse(text))
  expect(at('2026-11-01T02:59:59Z')).toBe('2026-09-01')
  expect(at('2026-11-01T03:00:00Z')).toBe('2026-10-01')
  expect(at('2027-01-05T03:00:00Z')).toBe('2026-12-01')
})

test('the worker numbers what nobody asked for, each wallet once, also where several work at it at once', async () => {
  const users = await Promise.all(Array.from({ length: 12 }, () => server.user('10')))
  await Promise.all(users.map(({ client }) => client.instances.create(a40({ start: false }))))
  const month = server.services.clock.iso().slice(0, 7)
  await server.advance(32 * day)
  const others = Array.from({ length: 3 }, () => invoiceWork(server.services))
  const ids = users.map(({ id }) => id)
  await Promise.all(others.map(work => work.perform(ids)))
  for (const { client } of users) {
    const { items } = await until(
      () => client.invoices.list(),
      found => found.items.length > 0,
    )
    expect(items.map(item => [item.month, item.total])).toEqual([[month, '0.750000']])
  }
})

test('one whose invoice fails is left, and all others have theirs', async () => {
  const [bad, good] = [await server.user('10'), await server.user('10')]
  for (const { client } of [bad, good]) await client.instances.create(a40({ start: false }))
  await sql`insert into billing_details (user_id, sealed) values (${bad.id}, 'not sealed')`.execute(
    server.owner,
  )
  await server.advance(32 * day)
  await until(
    () => good.client.invoices.list(),
    ({ items }) => items.length > 0,
  )
  expect((await bad.client.invoices.list()).items).toEqual([])
  await sql`delete from billing_details where user_id = ${bad.id}`.execute(server.owner)
  await until(
    () => bad.client.invoices.list(),
    ({ items }) => items.length > 0,
  )
})

test('an account that is deleted leaves its invoices, with the name on them, and nothing else', async () => {
  const user = await server.user('30')
  await user.client.invoices.setCustomer({ name: 'Ada Lovelace', address: 'London', tax_number: '' })
  const { id } = await user.client.instances.create(a40({ start: false, name: 'secret-box' }))
  await user.client.instances.delete({ id })
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'refund' })
  const { rows } = await sql<{ kinds: string[]; details: number; closing: bigint }>`
    select array_agg(i.kind order by serial) as kinds, (select count(*)::int from billing_details where user_id = ${user.id}) as details,
      max(m.closing_micro) as closing
    from invoice i join invoice_month m using (user_id, month) where user_id = ${user.id}`.execute(
    server.owner,
  )
  // What it paid and got back in its last month is numbered at once; the balance went back.
  expect(rows).toEqual([{ kinds: ['invoice'], details: 0, closing: 0n }])
  await server.advance(32 * day)
  await invoiceWork(server.services).perform([user.id])
  const { rows: later } = await sql<{ n: number }>`
    select count(*)::int as n from invoice where user_id = ${user.id}`.execute(server.owner)
  expect(later).toEqual([{ n: 1 }])
})

test('a wallet that is opened is looked through from its first month', async () => {
  const user = await server.user()
  await sql`select credit_wallet(${user.id}, 1000000, 'Gift', ${newId()}, '2026-01-01')`.execute(server.owner)
  await invoiceWork(server.services).perform([user.id])
  const { rows } = await sql<{ month: string }>`
    select month::text from invoicing where user_id = ${user.id}`.execute(server.owner)
  expect(rows).toEqual([{ month: lastMonthToClose(server.services.clock.now()) }])
})
