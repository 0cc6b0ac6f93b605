import { randomBytes } from 'node:crypto'
import { parseUsd } from '@ingot/contracts/money'
import { toBase58 } from '@ingot/tron/address'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashPassword } from '../auth/passwords/passwords.ts'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'
import { deposited } from './test-rows.ts'

const server = useTestServer({ env: { INGOT_WITHDRAWALS: 'on' } })
const db = () => server.services.database.kysely
const password = 'correct horse'
const hash = hashPassword(password)
const hour = 3_600_000

const someAddress = () => toBase58(randomBytes(20).toString('hex'))

/** Deposits, and what an operator gave. */
async function customer(deposits: number, given = '0'): Promise<TestUser> {
  const user = await server.user(given)
  await sql`update auth_user set password_hash = ${await hash} where id = ${user.id}`.execute(db())
  if (deposits) await deposited(server.owner, user.id, deposits)
  return user
}
async function administrator() {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user.client.withdrawals
}
const ask = (
  { client }: TestUser,
  amount: string,
  address = someAddress(),
  typed: string | undefined = password,
) => client.withdrawals.request({ amount, address, password: typed })
const withdrawable = async ({ client }: TestUser) => (await client.withdrawals.terms()).withdrawable
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const mailTo = async ({ id }: TestUser) =>
  (await listMail(db(), server.services.vault)).filter(mail => mail.to === `${id}@example.com`)
/** What the scanner does with a final transfer out. */
async function sent(address20: Buffer, usd: string, txid = randomBytes(32)) {
  await sql`select record_sweep('devnet', ${txid}, 0, 9, now(), ${randomBytes(20)}, ${address20}, ${parseUsd(usd)})`.execute(
    db(),
  )
  const { rows } = await sql<{ request_id: string }>`
    select request_id from settle_payout('devnet', ${txid}, 0, ${server.services.clock.iso()})`.execute(db())
  return rows.map(row => row.request_id)
}
const addressOf = async (id: string) => {
  const { rows } = await sql<{ address20: Buffer }>`
    select address20 from withdrawal where id = ${id} union all select address20 from refund_request where id = ${id}`.execute(
    db(),
  )
  return rows[0]!.address20
}

describe('how much', () => {
  test('at most what was deposited, less what was spent; what an operator gave is spent, never taken out', async () => {
    const user = await customer(100, '30')
    expect(await withdrawable(user)).toBe('100.000000')
    const { id } = await user.client.instances.create(a40({ start: false }))
    expect(await withdrawable(user)).toBe('99.250000')
    await expect(ask(user, '99.250001')).rejects.toMatchObject({
      code: 'insufficient_funds',
      fields: { amount: 'At most $99.25 can be withdrawn now' },
    })
    await user.client.instances.delete({ id })
    await until(
      () => withdrawable(user),
      amount => amount === '100.000000',
    )
    expect(await ask(user, '100')).toMatchObject({ amount_usdt: '100.000000', status: 'waiting' })
    expect([await balance(user), await withdrawable(user)]).toEqual(['30.000000', '0.000000'])
  })

  test('ten minutes of what runs stay', async () => {
    const user = await customer(50)
    const { id } = await user.client.instances.create(a40({}))
    await until(
      () => user.client.instances.get({ id }),
      ({ status }) => status === 'running',
    )
    await server.advance(2 * hour)
    const { balance_usd, start_reserve } = await user.client.wallet.get()
    const most = parseUsd(balance_usd) - parseUsd(start_reserve)
    expect(parseUsd(start_reserve)).toBe(125_000n)
    expect(Math.abs(Number(parseUsd(await withdrawable(user)) - most))).toBeLessThan(2_000)
    await user.client.instances.stop({ id })
  })

  test('what is set aside cannot be spent, and is not counted as spent', async () => {
    const user = await customer(20)
    await ask(user, '20')
    await expect(user.client.instances.create(a40({ start: false }))).rejects.toMatchObject({
      code: 'insufficient_funds',
    })
    expect((await user.client.billing.summary()).spent).toBe('0.000000')
    expect((await user.client.billing.list()).items[0]).toMatchObject({
      description: 'Withdrawal',
      status: 'pending',
    })
  })

  test('its line on the bill says what became of it', async () => {
    const user = await customer(60)
    const bill = async (status?: 'paid' | 'pending' | 'refunded') =>
      (await user.client.billing.list({ status })).items
        .filter(({ kind }) => kind === 'hold')
        .map(({ amount, status: is }) => `${amount} ${is}`)
    await sent(await addressOf((await ask(user, '10')).id), '10')
    await user.client.withdrawals.cancel({ id: (await ask(user, '20')).id })
    await ask(user, '30')
    expect(await bill()).toEqual([
      '-30.000000 pending',
      '20.000000 refunded',
      '-20.000000 refunded',
      '-10.000000 paid',
    ])
    expect(await bill('pending')).toEqual(['-30.000000 pending'])
    expect(await bill('refunded')).toEqual(['20.000000 refunded', '-20.000000 refunded'])
    expect(await bill('paid')).toEqual(['-10.000000 paid'])
  })

  test('less than the minimum is refused at its field', async () => {
    await expect(ask(await customer(20), '9.999999')).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { amount: 'At least 10 USDT' },
    })
  })
})

describe('who, and where to', () => {
  test('a wrong password, and none, are refused at their field', async () => {
    const user = await customer(20)
    await expect(ask(user, '20', undefined, 'wrong')).rejects.toMatchObject({
      fields: { password: 'The password is wrong' },
    })
    await expect(
      user.client.withdrawals.request({ amount: '20', address: someAddress() }),
    ).rejects.toMatchObject({
      fields: { password: 'Enter your password' },
    })
    expect(await balance(user)).toBe('20.000000')
  })

  test('with a second factor it must have been shown within ten minutes; the password is not enough', async () => {
    const user = await customer(20)
    const factor = newId()
    await sql`insert into auth_factor (id, user_id, factor_type, status, friendly_name, secret_sealed)
      values (${factor}, ${user.id}, 'totp', 'verified', 'Phone', 'x')`.execute(db())
    const shown = (minutesAgo: number) => {
      const timestamp = Math.floor(Date.now() / 1000) - minutesAgo * 60
      const amr = [
        { method: 'totp', timestamp, factor_id: factor },
        { method: 'password', timestamp: timestamp + 3_000 },
      ]
      return sql`update auth_session set aal = 'aal2', amr = ${JSON.stringify(amr)} where id = ${user.sessionId}`.execute(
        db(),
      )
    }
    await shown(11)
    expect(await user.client.withdrawals.terms()).toMatchObject({ proof: 'factor' })
    await expect(ask(user, '20')).rejects.toMatchObject({ code: 'mfa_required' })
    await shown(9)
    expect(await user.client.withdrawals.terms()).toMatchObject({ proof: null })
    await user.client.withdrawals.request({ amount: '20', address: someAddress() })
  })

  test.each([
    [
      'a letter that is wrong',
      async () => someAddress().replace(/.$/, last => (last === 'a' ? 'b' : 'a')),
      /not a TRON address/,
    ],
    [
      'a deposit address here',
      async () => (await (await server.user()).client.wallet.usdtConfig()).walletAddress,
      /deposited again/,
    ],
    ['the token’s own address', async () => toBase58(server.services.chain.contract), /address of the token/],
  ])('%s is refused at its field', async (_, address, why) => {
    await expect(ask(await customer(20), '20', await address())).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { address: expect.stringMatching(why) },
    })
  })

  test('an API key moves no money out', async () => {
    const user = await customer(20)
    const { key_value } = await user.client.accounts.generateApiKey({ name: 'k' })
    await expect(
      server.client(key_value).withdrawals.request({ amount: '20', address: someAddress(), password }),
    ).rejects.toMatchObject({ status: 403 })
  })
})

describe('until it is sent', () => {
  test('there is one at a time, of two at once too', async () => {
    const user = await customer(40)
    const both = await Promise.allSettled([ask(user, '20'), ask(user, '20')])
    expect(both.map(each => each.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(ask(user, '10')).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await balance(user)).toBe('20.000000')
  })

  test('its owner cancels it, once or several times at once, and has the money back once', async () => {
    const user = await customer(20)
    const { id } = await ask(user, '20')
    const answers = await Promise.all([1, 2, 3].map(() => user.client.withdrawals.cancel({ id })))
    expect(answers.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await balance(user)).toBe('20.000000')
  })

  test('the link in the mail cancels it without a session; the mail says how much goes where', async () => {
    const user = await customer(20)
    const { address } = await ask(user, '20')
    const [letter] = await mailTo(user)
    expect(letter!.subject).toBe('Withdrawal of $20.00 from your Ingot wallet')
    expect(letter!.text).toContain(address)
    const token = new URL(letter!.links[0]!).searchParams.get('token')!
    const cancel = (given: string) =>
      server.fetch('/v1/withdrawals/cancel', { method: 'POST', body: JSON.stringify({ token: given }) })
    expect((await cancel(`${token}x`)).status).toBe(404)
    const response = await cancel(token)
    expect(await response.json()).toEqual({ status: 'cancelled', amount_usdt: '20.000000' })
    expect(await balance(user)).toBe('20.000000')
  })

  test('an operator takes it in hand a day after it was asked for, and then nobody cancels it', async () => {
    const admin = await administrator()
    const user = await customer(20)
    const { id, payable_at } = await ask(user, '20')
    await expect(admin.take({ id })).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining(payable_at!),
    })
    await server.advance(24 * hour)
    expect(await admin.take({ id })).toMatchObject({
      status: 'sending',
      user_email: `${user.id}@example.com`,
      kind: 'withdrawal',
    })
    await expect(user.client.withdrawals.cancel({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await balance(user)).toBe('0.000000')
  })

  test('a day passes anew after a change of password, of address or of a factor', async () => {
    const user = await customer(20)
    const { id } = await ask(user, '20')
    // Changes of an account are dated by the real clock, which the tests before this one have left behind.
    await sql`update withdrawal set asked_at = now() - interval '1 hour' where id = ${id}`.execute(
      server.owner,
    )
    const payable = async () => {
      const { rows } = await sql<{
        at: string
      }>`select withdrawal_payable_at(w) as at from withdrawal w where id = ${id}`.execute(db())
      return Date.parse(rows[0]!.at)
    }
    const first = await payable()
    await sql`update auth_user set password_hash = 'x' where id = ${user.id}`.execute(db())
    const second = await payable()
    await sql`update auth_user set email = ${`new-${user.id}@example.com`} where id = ${user.id}`.execute(
      db(),
    )
    const third = await payable()
    await sql`insert into auth_factor (id, user_id, factor_type, status, friendly_name, secret_sealed)
      values (${newId()}, ${user.id}, 'totp', 'unverified', 'Phone', 'x')`.execute(db())
    await sql`update auth_factor set status = 'verified' where user_id = ${user.id}`.execute(db())
    const fourth = await payable()
    expect([first, second, third, fourth]).toEqual([first, second, third, fourth].toSorted((a, b) => a - b))
    expect(new Set([first, second, third, fourth]).size).toBe(4)
  })

  test('a refused one is back in the wallet, with the reason', async () => {
    const admin = await administrator()
    const user = await customer(20)
    const { id } = await ask(user, '20')
    await admin.refuse({ id, reason: 'The address is on a list' })
    expect((await user.client.withdrawals.list()).items[0]).toMatchObject({
      status: 'refused',
      reason: 'The address is on a list',
      payable_at: null,
    })
    expect(await balance(user)).toBe('20.000000')
    await expect(admin.take({ id })).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('one too many in a day is refused', async () => {
    const user = await customer(20)
    for (let i = 0; i < 5; i++) await user.client.withdrawals.cancel({ id: (await ask(user, '20')).id })
    await expect(ask(user, '20')).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('in a day'),
    })
  })

  test('an account is not deleted while one is under way', async () => {
    const user = await customer(20)
    const { id } = await ask(user, '20')
    await expect(
      user.client.accounts.deleteAccount({ confirmation: 'DELETE', password, balance: 'refund' }),
    ).rejects.toMatchObject({ code: 'invalid_state' })
    await user.client.withdrawals.cancel({ id })
  })
})

describe('the transfer', () => {
  test('of exactly its amount to its address makes it paid, once; another pays nothing', async () => {
    const user = await customer(40)
    const { id } = await ask(user, '20')
    const to = await addressOf(id)
    expect(await sent(to, '19.999999')).toEqual([])
    expect(await sent(randomBytes(20), '20')).toEqual([])
    const txid = randomBytes(32)
    expect(await sent(to, '20', txid)).toEqual([id])
    expect(await sent(to, '20', txid)).toEqual([])
    expect((await user.client.withdrawals.list()).items[0]).toMatchObject({
      status: 'paid',
      tx_hash: txid.toString('hex'),
    })
    // The same once more, to an address that is known: it does not wait.
    const again = await ask(user, '20', toBase58(to.toString('hex')))
    expect(Date.parse(again.payable_at!)).toBeLessThanOrEqual(
      Date.parse((await user.client.withdrawals.terms()).payable_at),
    )
    expect(await sent(to, '20', txid)).toEqual([])
    expect(await sent(to, '20')).toEqual([again.id])
    const { items } = await user.client.activity.usageLogs({})
    expect(items.map(({ action, message, actor }) => [action, message, actor])).toEqual([
      ['withdrawal_paid', '20.00 USDT', 'system'],
      ['withdrawal_requested', '20.00 USDT', 'user'],
      ['withdrawal_paid', '20.00 USDT', 'system'],
      ['withdrawal_requested', '20.00 USDT', 'user'],
    ])
    expect(await balance(user)).toBe('0.000000')
  })

  test('pays what a deleted account is owed, once an operator has set where to', async () => {
    const admin = await administrator()
    const user = await customer(25)
    await user.client.accounts.deleteAccount({ confirmation: 'DELETE', password, balance: 'refund' })
    const mine = async () =>
      (await admin.queue({ limit: 100 })).items.find(({ user_id }) => user_id === user.id)
    const { id } = (await mine())!
    expect(await mine()).toMatchObject({
      kind: 'refund',
      amount_usdt: '25.000000',
      address: null,
      contact: `${user.id}@example.com`,
    })
    await expect(admin.take({ id })).rejects.toMatchObject({ code: 'invalid_state' })
    const { walletAddress } = await (await server.user()).client.wallet.usdtConfig()
    const ours = admin.setRefundAddress({ id, address: walletAddress })
    await expect(ours).rejects.toMatchObject({ code: 'validation_failed' })
    await admin.setRefundAddress({ id, address: someAddress() })
    await admin.take({ id })
    await expect(admin.setRefundAddress({ id, address: someAddress() })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await expect(admin.refuse({ id, reason: 'no' })).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await sent(await addressOf(id), '25')).toEqual([id])
    expect(await mine()).toBeUndefined()
  })

  test('cancelling and paying at once ends in one of them, and no money is there twice', async () => {
    for (let i = 0; i < 10; i++) {
      const user = await customer(20)
      const { id } = await ask(user, '20')
      const to = await addressOf(id)
      const [cancelled, paid] = await Promise.all([
        user.client.withdrawals.cancel({ id }).then(
          () => true,
          () => false,
        ),
        sent(to, '20').then(ids => ids.length === 1),
      ])
      expect(cancelled).not.toBe(paid)
      expect(await balance(user)).toBe(cancelled ? '20.000000' : '0.000000')
    }
  })
})

test('the queue is for administrators, oldest first, and each step leaves an entry', async () => {
  const admin = await administrator()
  const user = await customer(20)
  await expect(user.client.withdrawals.queue()).rejects.toMatchObject({ status: 403 })
  const { id } = await ask(user, '20')
  const { items } = await admin.queue({ limit: 100 })
  expect(items.map(({ asked_at }) => asked_at)).toEqual(items.map(({ asked_at }) => asked_at).toSorted())
  await admin.refuse({ id, reason: 'Another account of the same person' })
  const { rows } =
    await sql`select after->>'payout' as payout, reason from audit_log where user_id = ${user.id} order by audit_log.id desc limit 1`.execute(
      db(),
    )
  expect(rows).toEqual([{ payout: 'refused', reason: 'Another account of the same person' }])
})
