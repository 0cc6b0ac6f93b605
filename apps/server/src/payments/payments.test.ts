import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const hour = 3_600_000

async function administrator() {
  const { id, client } = await server.user()
  await sql`insert into user_roles (user_id, role) values (${id}, 'admin')`.execute(db())
  return client.payments
}
/** Above the limit of 100. */
async function transfer({ id: userId }: TestUser, usd: number, txid = randomBytes(32)): Promise<string> {
  const id = newId()
  await sql`select credit_deposit(${id}, 'devnet', ${txid}, 0, ${userId}, 1, now(), ${randomBytes(20)}, ${randomBytes(20)},
    ${usd * 1_000_000}, 10000000, 19, business_now(), 100000000)`.execute(server.owner)
  return id
}
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const entries = async ({ id }: TestUser) => {
  const { rows } = await sql<{ after: object; reason: string | null }>`
    select after, reason from audit_log where user_id = ${id} and operation like '%Payment' or user_id = ${id} and operation like '%Wallet'
    order by audit_log.id`.execute(db())
  return rows
}

describe('a payment', () => {
  test('says what it waits for; only what is held for a decision can be decided', async () => {
    const admin = await administrator()
    const user = await server.user()
    const [review, small] = [await transfer(user, 101), await transfer(user, 2)]
    await sql`insert into chain_deposit (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
      values (${newId()}, 'devnet', ${randomBytes(32)}, 0, ${user.id}, 9, now(), ${randomBytes(20)}, ${randomBytes(20)}, 3000000, 'pending', 5)`.execute(
      server.owner,
    )
    const { items } = await admin.list({ search: user.id })
    // Made within a millisecond they have no order.
    expect(
      items
        .map(({ status, reason, can_decide, confirmations }) => [status, reason, can_decide, confirmations])
        .toSorted((a, b) => String(a[1]).localeCompare(String(b[1]))),
    ).toEqual([
      ['pending', 'arriving', false, 5],
      ['pending', 'below_minimum', false, 19],
      ['pending', 'review', true, 19],
    ])
    await expect(admin.approve({ id: small })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(admin.reject({ id: small, reason: 'no' })).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await admin.approve({ id: review })).toMatchObject({
      status: 'confirmed',
      confirmations: 12,
      confirmations_seen: 19,
      can_decide: false,
      reason: null,
    })
    expect(await balance(user)).toBe('101.000000')
    expect(await entries(user)).toMatchObject([{ after: { payment_status: 'confirmed' } }])
  })

  test('is approved by two at once, and together with the scanner, and credited once', async () => {
    const admins = await Promise.all([administrator(), administrator()])
    for (let i = 0; i < 5; i++) {
      const user = await server.user()
      const txid = randomBytes(32)
      const id = await transfer(user, 500, txid)
      await Promise.all([...admins.map(admin => admin.approve({ id })), transfer(user, 500, txid)])
      expect(await balance(user)).toBe('500.000000')
    }
  })

  test('that is rejected is failed, with the reason, and stays so', async () => {
    const admin = await administrator()
    const user = await server.user()
    const txid = randomBytes(32)
    const id = await transfer(user, 500, txid)
    expect(await admin.reject({ id, reason: 'On a list' })).toMatchObject({
      status: 'failed',
      reason: 'rejected',
      note: 'On a list',
    })
    await admin.reject({ id, reason: 'On a list' })
    await expect(admin.approve({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    await transfer(user, 500, txid)
    expect(await balance(user)).toBe('0.000000')
    const found = async (status: 'pending' | 'confirmed' | 'failed') =>
      (await admin.list({ status, search: `0x${txid.toString('hex').slice(0, 9).toUpperCase()}` })).items.map(
        each => each.id,
      )
    expect([await found('pending'), await found('confirmed'), await found('failed')]).toEqual([[], [], [id]])
    expect((await admin.list({ search: 'no hash' })).items).toEqual([])
    expect((await entries(user))[0]).toMatchObject({ reason: 'On a list' })
  })
})

describe('a correction by hand', () => {
  test('gives and takes, stands on the bill with its reason, and leaves an entry', async () => {
    const admin = await administrator()
    const user = await server.user()
    expect(await admin.credit({ id: user.id, amount: '12.5', reason: 'Goodwill' })).toEqual({
      user_id: user.id,
      balance_usd: '12.500000',
    })
    expect(await admin.debit({ id: user.id, amount: '2.500001', reason: 'Paid twice' })).toMatchObject({
      balance_usd: '9.999999',
    })
    expect((await user.client.billing.list()).items).toMatchObject([
      { description: 'Debit by support: Paid twice', amount: '-2.500001' },
      { description: 'Credit by support: Goodwill', amount: '12.500000' },
    ])
    expect(await entries(user)).toMatchObject([
      { after: { correction: '12.500000' }, reason: 'Goodwill' },
      { after: { correction: '-2.500001' }, reason: 'Paid twice' },
    ])
  })

  test('takes at most what is there, less what runs has used', async () => {
    const admin = await administrator()
    const user = await server.user('10')
    const { id } = await user.client.instances.create(a40())
    await until(
      () => user.client.instances.get({ id }),
      ({ status }) => status === 'running',
    )
    await server.advance(3 * hour)
    const there = Number(await balance(user))
    expect(there).toBeLessThan(8)
    await expect(admin.debit({ id: user.id, amount: '8', reason: 'x' })).rejects.toMatchObject({
      code: 'insufficient_funds',
      fields: { amount: 'The wallet holds less than $8.00' },
    })
    expect(Number((await admin.debit({ id: user.id, amount: '7', reason: 'x' })).balance_usd)).toBeCloseTo(
      there - 7,
      2,
    )
    await user.client.instances.stop({ id })
  })

  test('is made once under its key, and not for somebody who is gone', async () => {
    const { id, token } = await server.user()
    await sql`insert into user_roles (user_id, role) values (${id}, 'admin')`.execute(db())
    const user = await server.user()
    const give = (key: string) =>
      server.fetch(`/v1/admin/users/${user.id}/credit`, {
        method: 'POST',
        token,
        headers: { 'idempotency-key': key },
        body: JSON.stringify({ amount: '5', reason: 'Once' }),
      })
    expect((await Promise.all([give('a'), give('a'), give('a')])).map(({ status }) => status)).toContain(200)
    await give('a')
    expect(await balance(user)).toBe('5.000000')
    const admin = await administrator()
    await expect(admin.credit({ id: newId(), amount: '5', reason: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(admin.credit({ id: user.id, amount: '0', reason: 'x' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})
