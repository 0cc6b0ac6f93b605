import { randomBytes } from 'node:crypto'
import { defaultUserSettings } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashPassword } from '../auth/passwords/passwords.ts'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'
import { deleteAccount } from './delete-account.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const password = 'correct horse'
const hash = hashPassword(password)
async function userWithPassword(usd = '0'): Promise<TestUser & { email: string }> {
  const user = await server.user(usd)
  const email = `${user.id}@example.com`
  await sql`update auth_user set password_hash = ${await hash} where id = ${user.id}`.execute(db())
  await sql`insert into auth_identity (id, user_id, provider, provider_id, identity_data)
    values (${newId()}, ${user.id}, 'email', ${user.id}, ${JSON.stringify({ email })})`.execute(db())
  return { ...user, email }
}
type Wish = Parameters<TestUser['client']['accounts']['deleteAccount']>[0]
const leave = ({ client }: TestUser, wish: Partial<Wish> = {}) =>
  client.accounts.deleteAccount({ confirmation: 'DELETE', password, ...wish })
const status = async (token: string) => (await server.fetch('/v1/wallet', { token })).status
const rowOf = (id: string) =>
  db().selectFrom('auth_user').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const lettersTo = async (email: string) =>
  (await listMail(db(), server.services.vault)).filter(mail => mail.to === email)
const systemBalance = async (account: number) => {
  const { rows } = await sql<{ net: bigint }>`
    select coalesce(sum(case when to_account = ${account} then amount_micro else -amount_micro end), 0)::bigint as net
    from ledger_transfer where ${account} in (from_account, to_account)`.execute(db())
  return rows[0]!.net
}
const auth = async (path: string, body: object) => {
  const response = await server.fetch(`/auth/v1${path}`, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('nothing of the person is left anywhere in the database, and their key, sessions and password are worth nothing', async () => {
  const user = await userWithPassword()
  const marker = randomBytes(8).toString('hex')
  const other = await server.signIn(user.id, { userAgent: `Mozilla ${marker}`, ip: '192.0.2.77' })
  await user.client.accounts.update({ first_name: marker, company: marker })
  await user.client.accounts.updateSettings({ marketing_emails: true })
  const { key_value } = await user.client.accounts.generateApiKey({ name: marker })
  await sql`update auth_user set user_metadata = ${JSON.stringify({ marker })}, phone = '15551234567', new_email = ${`${marker}@example.com`}
    where id = ${user.id}`.execute(db())
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'moderator')`.execute(db())
  await auth('/recover', { email: user.email })

  expect(await leave(user)).toEqual({})
  expect(await Promise.all([user.token, other.token, key_value].map(status))).toEqual([401, 401, 401])
  const row = await rowOf(user.id)
  expect(row).toMatchObject({
    email: null,
    phone: null,
    new_email: null,
    password_hash: null,
    user_metadata: {},
  })
  expect(row.deleted_at).not.toBeNull()
  expect(await findEverywhere(marker)).toEqual([])
  expect(await findEverywhere('192.0.2.77')).toEqual([])
  // The one mail on its way, which is the farewell.
  expect(await findEverywhere(user.email)).toEqual(['mail'])
  expect((await lettersTo(user.email)).map(mail => mail.subject)).toEqual(['Your Ingot account is deleted'])
  expect((await auth('/token?grant_type=password', { email: user.email, password })).body).toMatchObject({
    error_code: 'invalid_credentials',
  })
})

/** Tables that hold this text in any column; sealed and hashed ones do not count. */
async function findEverywhere(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(db())
  const found: string[] = []
  for (const { name } of rows) {
    const hits = await sql`select from ${sql.table(name)} t where t::text like ${`%${text}%`}`.execute(db())
    if (hits.rows.length) found.push(name)
  }
  return found
}

test('running and stopped instances are charged up to now, refunded their rest, destroyed, and lose their names', async () => {
  const user = await userWithPassword('10')
  const secret = `box-${randomBytes(6).toString('hex')}`
  const running = await user.client.instances.create(a40({ name: secret }))
  const stopped = await user.client.instances.create(a40({ name: `${secret}: two`, start: false }))
  await until(
    () => user.client.instances.get({ id: running.id }),
    each => each.status === 'running',
  )
  await server.advance(30 * 60_000)
  const before = await user.client.accounts.deletion()
  expect(before).toMatchObject({
    instances: 2,
    running: 1,
    volumes: 0,
    snapshots: 0,
    volume_grace_days: 7,
    blocked_by: [],
  })
  expect(Number(before.balance_usd)).toBeCloseTo(10 - 0.375, 2)

  await leave(user, { balance: 'refund' })
  const rows = await until(
    () => db().selectFrom('gpu_instances').selectAll().where('user_id', '=', user.id).orderBy('id').execute(),
    all => all.every(row => row.status === 'terminated'),
  )
  expect(rows.map(row => [row.id, row.desired, row.name])).toEqual([
    [running.id, 'deleted', 'deleted'],
    [stopped.id, 'deleted', 'deleted'],
  ])
  const { rows: used } = await sql<{ cost: string }>`
    select usd(sum(amount_micro)::bigint) as cost from usage_line where user_id = ${user.id}`.execute(db())
  const refund = await db()
    .selectFrom('refund_request')
    .selectAll()
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(Number(used[0]!.cost)).toBeCloseTo(0.375, 2)
  expect(refund.amount_micro).toBe(10_000_000n - BigInt(Math.round(Number(used[0]!.cost) * 1e6)))
  expect(await findEverywhere(secret)).toEqual([])
  const { rows: kept } = await sql<{ code: string; description: string }>`
    select code, description from ledger_transfer where user_id = ${user.id} order by id`.execute(db())
  expect(kept.filter(({ code }) => code === 'deploy')[0]!.description).toBe(
    'Instance: initial setup, first hour prepaid, 1 × A40',
  )
})

test('what is shown as the balance is what is refunded, deploy charges and accrual included', async () => {
  const user = await userWithPassword('10000')
  await user.client.instances.create(a40({ start: false }))
  await user.client.instances.create(a40({ start: false, billing_period: '3month' }))
  await server.advance(3 * 86_400_000)
  const held = 0.75 * 72
  const { balance_usd } = await user.client.accounts.deletion()
  expect(Number(balance_usd)).toBeCloseTo(10_000 - held, 2)
  await leave(user, { balance: 'refund' })
  const { amount_micro } = await db()
    .selectFrom('refund_request')
    .select('amount_micro')
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(Number(amount_micro) / 1e6).toBeCloseTo(Number(balance_usd), 2)
})

test('a refund is owed, with the sealed address to write to; the mail says so', async () => {
  const user = await userWithPassword('12.5')
  const owed = await systemBalance(4)
  await leave(user, { balance: 'refund' })
  const request = await db()
    .selectFrom('refund_request')
    .selectAll()
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(request).toMatchObject({ amount_micro: 12_500_000n, status: 'open' })
  expect(server.services.vault.open(request.contact_sealed!, `refund:${request.id}`).toString()).toBe(
    user.email,
  )
  expect((await systemBalance(4)) - owed).toBe(12_500_000n)
  expect((await lettersTo(user.email))[0]!.text).toContain(
    '$12.50 were left in your wallet and will be refunded',
  )
})

test('a balance given up is earned', async () => {
  const user = await userWithPassword('12.5')
  const earned = await systemBalance(2)
  await leave(user, { balance: 'forfeit', forfeit_confirmation: 'FORFEIT' })
  expect((await systemBalance(2)) - earned).toBe(12_500_000n)
  expect((await lettersTo(user.email))[0]!.text).toContain('You gave up the $12.50')
})

test.each([
  [{ confirmation: 'delete' }, { confirmation: 'Please type DELETE to confirm' }],
  [{ confirmation: ' DELETE' }, { confirmation: 'Please type DELETE to confirm' }],
  [{ password: 'wrong' }, { password: 'The password is wrong' }],
  [{ password: undefined }, { password: 'Enter your password' }],
  [{}, { balance: '$12.50 is left: request a refund or give it up' }],
  [{ balance: 'forfeit' as const }, { forfeit_confirmation: 'Please type FORFEIT to confirm' }],
  [
    { balance: 'forfeit' as const, forfeit_confirmation: 'yes' },
    { forfeit_confirmation: 'Please type FORFEIT to confirm' },
  ],
])('%j is refused with %j, and nothing happened', async (wish, fields) => {
  const user = await userWithPassword('12.5')
  const { id } = await user.client.instances.create(a40({ start: false }))
  await expect(leave(user, wish)).rejects.toMatchObject({ code: 'validation_failed', fields })
  expect(await status(user.token)).toBe(200)
  expect((await user.client.instances.get({ id })).status).toBe('stopped')
  expect((await rowOf(user.id)).deleted_at).toBeNull()
  expect(await lettersTo(user.email)).toEqual([])
})

test('wrong passwords make the next try wait, as at sign-in', async () => {
  const user = await userWithPassword()
  for (let i = 0; i < 6; i++)
    await expect(leave(user, { password: `wrong ${i}` })).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(leave(user)).rejects.toMatchObject({ code: 'rate_limited' })
  expect((await rowOf(user.id)).deleted_at).toBeNull()
})

test('with a second factor the session that showed it is the proof, and no other', async () => {
  const user = await userWithPassword()
  await sql`insert into auth_factor (id, user_id, factor_type, status, friendly_name, secret_sealed)
    values (${newId()}, ${user.id}, 'totp', 'verified', 'Phone', 'x')`.execute(db())
  await expect(leave(user)).rejects.toMatchObject({ code: 'mfa_required' })
  await sql`update auth_session set aal = 'aal2' where id = ${user.sessionId}`.execute(db())
  expect(await user.client.accounts.deletion()).toMatchObject({ proof: 'aal2' })
  await leave(user, { password: undefined })
  expect(await status(user.token)).toBe(401)
})

test.each(['hold', 'withdrawal'])('an open %s keeps the account until it is settled', async kind => {
  const user = await userWithPassword('12.5')
  const at = server.services.clock.iso()
  await sql`select hold_funds(${user.id}, ${kind}, 12500000, 'Under review', ${newId()}, ${at})`.execute(
    server.owner,
  )
  expect(await user.client.accounts.deletion()).toMatchObject({ balance_usd: '0.000000', blocked_by: [kind] })
  await expect(leave(user)).rejects.toMatchObject({ code: 'invalid_state' })
  await sql`select release_funds(${user.id}, ${kind}, 12500000, 'Settled', ${newId()}, ${at})`.execute(
    server.owner,
  )
  expect(await user.client.accounts.deletion()).toMatchObject({ balance_usd: '12.500000', blocked_by: [] })
  expect(
    (await user.client.billing.list()).items.map(({ amount, status }) => [amount, status]).toSorted(),
  ).toEqual([
    ['-12.500000', 'pending'],
    ['12.500000', 'paid'],
    ['12.500000', 'refunded'],
  ])
  expect((await user.client.billing.summary()).spent).toBe('0.000000')
  await leave(user, { balance: 'refund' })
})

test('a hold needs the money to be there', async () => {
  const user = await userWithPassword('1')
  const hold = sql`select hold_funds(${user.id}, 'hold', 1000001, 'Under review', ${newId()}, now())`.execute(
    server.owner,
  )
  await expect(hold).rejects.toMatchObject({ code: 'IN402' })
})

test('deposits that arrive later, or were below the minimum, are held for a person, never credited and never lost', async () => {
  const user = await userWithPassword()
  const { walletAddress } = await user.client.wallet.usdtConfig()
  await server.faucet(walletAddress, '4')
  const held = () =>
    db()
      .selectFrom('chain_deposit')
      .select(['amount_micro', 'state', 'held_reason'])
      .where('user_id', '=', user.id)
      .orderBy('id')
      .execute()
  await until(held, rows => rows[0]?.state === 'held')
  expect(await held()).toEqual([{ amount_micro: 4_000_000n, state: 'held', held_reason: 'below_minimum' }])
  await leave(user)
  await server.faucet(walletAddress, '25')
  await until(held, rows => rows[1]?.state === 'held')
  expect(await held()).toEqual([
    { amount_micro: 4_000_000n, state: 'held', held_reason: 'account_deleted' },
    { amount_micro: 25_000_000n, state: 'held', held_reason: 'account_deleted' },
  ])
  const { rows } = await sql<{ balance_micro: bigint }>`
    select balance_micro from ledger_account where kind = 'wallet' and owner = ${user.id}`.execute(db())
  expect(rows).toEqual([{ balance_micro: 0n }])
})

test('each deposit that is held for a deleted account has a refund request of its own, however often it is seen', async () => {
  const user = await userWithPassword('12.5')
  const { walletAddress } = await user.client.wallet.usdtConfig()
  const held = (count: number) =>
    until(
      () =>
        db()
          .selectFrom('chain_deposit')
          .selectAll()
          .where('user_id', '=', user.id)
          .where('state', '=', 'held')
          .orderBy('id')
          .execute(),
      rows => rows.length === count,
    )
  await server.faucet(walletAddress, '4')
  await held(1)
  await leave(user, { balance: 'refund' })
  await server.faucet(walletAddress, '25')
  await server.faucet(walletAddress, '30')
  const deposits = await held(3)
  // The scanner reads the last blocks of a pass again in the next one.
  for (const deposit of deposits)
    await sql`select credit_deposit(${newId()}, ${deposit.chain}, ${deposit.txid}, ${deposit.log_index}, ${user.id},
      ${deposit.block_number}, ${deposit.block_at}, ${deposit.from20}, ${deposit.to20}, ${deposit.amount_micro},
      10000000, 19, now())`.execute(db())
  const requests = await db()
    .selectFrom('refund_request')
    .select(['id', 'amount_micro', 'deposit_id', 'status', 'contact_sealed'])
    .where('user_id', '=', user.id)
    .execute()
  expect(requests).toHaveLength(4)
  expect(requests.find(request => request.deposit_id === null)).toMatchObject({ amount_micro: 12_500_000n })
  for (const { id, amount_micro } of deposits)
    expect(requests.find(request => request.deposit_id === id)).toMatchObject({
      amount_micro,
      status: 'open',
    })
  // What came while the account was there has an address to write to; of what came later nothing is known.
  const reachable = requests.filter(({ contact_sealed }) => contact_sealed !== null)
  expect(
    reachable.map(({ id, contact_sealed }) =>
      server.services.vault.open(contact_sealed!, `refund:${id}`).toString(),
    ),
  ).toEqual([user.email, user.email])
})

test('the same address signs up again and is somebody new', async () => {
  const user = await userWithPassword('12.5')
  await leave(user, { balance: 'refund' })
  const signedUp = await auth('/signup', { email: user.email, password: 'another horse' })
  expect(signedUp.status).toBe(200)
  const fresh = await db()
    .selectFrom('auth_user')
    .select('id')
    .where('email', '=', user.email)
    .executeTakeFirstOrThrow()
  expect(fresh.id).not.toBe(user.id)
  const { client } = await server.signIn(fresh.id)
  expect((await client.wallet.get()).balance_usd).toBe('0.000000')
  expect(await client.accounts.settings()).toEqual(defaultUserSettings)
  expect((await client.billing.list()).items).toEqual([])
})

test('an administrator’s delete takes the same path; repeated, or many at once, it happens once', async () => {
  const [user, admin] = [await userWithPassword('12.5'), await server.user()]
  await user.client.instances.create(a40())
  const remove = () => deleteAccount(server.services, user.id, { by: admin.id, balance: 'refund' })
  await Promise.all([remove(), remove(), remove()])
  await remove()
  expect(
    await db().selectFrom('refund_request').select('id').where('user_id', '=', user.id).execute(),
  ).toHaveLength(1)
  expect(await lettersTo(user.email)).toHaveLength(1)
  const facts = await db()
    .selectFrom('event')
    .select(['type', 'data'])
    .where('user_id', '=', user.id)
    .where('type', '=', 'account.deleted')
    .execute()
  expect(facts).toEqual([{ type: 'account.deleted', data: { by: admin.id } }])
  await expect(
    deleteAccount(server.services, newId(), { by: admin.id, balance: null }),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a deletion that fails half-way leaves everything as it was, and the next one succeeds', async () => {
  const user = await userWithPassword('12.5')
  const { id } = await user.client.instances.create(a40({ start: false }))
  const { vault, ...rest } = server.services
  const broken = {
    ...rest,
    vault: {
      ...vault,
      seal: () => {
        throw new Error('killed')
      },
    },
  }
  const wish = { by: user.id, balance: 'refund' } as const
  await expect(deleteAccount(broken, user.id, wish)).rejects.toThrow('killed')
  expect((await user.client.instances.get({ id })).status).toBe('stopped')
  expect((await user.client.wallet.get()).balance_usd).toBe('11.750000')
  await deleteAccount(server.services, user.id, wish)
  expect(await status(user.token)).toBe(401)
})

test('calls that are under way at that moment neither fail the ledger nor bring the account back', async () => {
  const user = await userWithPassword('50')
  const calls = Array.from({ length: 6 }, () => user.client.instances.create(a40()).catch(() => null))
  const keys = Array.from({ length: 3 }, () => user.client.accounts.generateApiKey({}).catch(() => null))
  const sessions = Array.from({ length: 3 }, () => server.signIn(user.id).catch(() => null))
  await leave(user, { balance: 'refund' })
  await Promise.all([...calls, ...keys, ...sessions])
  await expect(server.signIn(user.id)).rejects.toThrow('was deleted')
  for (const table of ['auth_session', 'api_keys', 'user_settings', 'profiles'] as const)
    expect(await db().selectFrom(table).select('user_id').where('user_id', '=', user.id).execute()).toEqual(
      [],
    )
  await until(
    () => db().selectFrom('gpu_instances').select('status').where('user_id', '=', user.id).execute(),
    all => all.every(row => row.status === 'terminated'),
  )
})
