import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashPassword } from '../auth/passwords/passwords.ts'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { createInstance } from '../instances/create-instance.ts'
import { startInstance } from '../instances/start-instance.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

const serviceKey = 'a-service-key-of-thirty-two-characters'
const server = useTestServer({
  env: { INGOT_SERVICE_KEY: serviceKey },
  drivers: now =>
    new Map([
      [
        'simulated',
        createSimulatedDriver({
          dir: null,
          now,
          startMs: 0,
          stopMs: 0,
          restartStartMs: 0,
          capacity: { A40: 100, T4: 1 },
        }),
      ],
    ]),
})
const db = () => server.services.database.kysely
const password = 'four words nobody tries'
const hash = hashPassword(password)
const reason = 'A card of yours mines for somebody else.'

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}
async function customer(usd = '25'): Promise<TestUser & { email: string }> {
  const user = await server.user(usd)
  const email = `${user.id}@example.com`
  await sql`update auth_user set password_hash = ${await hash} where id = ${user.id}`.execute(db())
  await sql`insert into auth_identity (id, user_id, provider, provider_id, identity_data)
    values (${newId()}, ${user.id}, 'email', ${user.id}, ${JSON.stringify({ email })})`.execute(db())
  return { ...user, email }
}
const status = async (token: string) => (await server.fetch('/v1/wallet', { token })).status
const signIn = async (email: string, tried = password) => {
  const client = new AuthClient({
    url: `${server.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
  })
  return (await client.signInWithPassword({ email, password: tried })).error
}
const entriesOf = (userId: string) =>
  db().selectFrom('audit_log').selectAll().where('user_id', '=', userId).orderBy('id').execute()
const lettersTo = async (email: string) =>
  (await listMail(db(), server.services.vault)).filter(mail => mail.to === email)
const rowOf = (id: string) =>
  db().selectFrom('gpu_instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const reaches = (id: string, status: string) =>
  until(
    () => rowOf(id),
    row => row.status === status,
  )
const banOf = async (id: string) => {
  const { banned_until } = await db()
    .selectFrom('auth_user')
    .select('banned_until')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return banned_until
}

describe('a suspension', () => {
  test('ends sessions and the key, stops what runs with the cause and the charge of any stop, and deletes nothing', async () => {
    const staff = await administrator()
    const user = await customer()
    const other = await server.signIn(user.id)
    const { key_value } = await user.client.accounts.generateApiKey({})
    const box = await user.client.instances.create(a40())
    const still = await user.client.instances.create(a40({ start: false }))
    await reaches(box.id, 'running')
    await server.advance(2 * 3_600_000)

    expect(await staff.client.people.suspend({ id: user.id, reason })).toEqual({
      user_id: user.id,
      suspended_at: expect.any(String),
      reason,
    })
    expect(await Promise.all([user.token, other.token, key_value].map(status))).toEqual([401, 401, 401])
    const stopped = await reaches(box.id, 'stopped')
    expect(stopped).toMatchObject({
      status_reason: 'suspended',
      status_message: 'Stopped because the account was suspended. Its disk is kept.',
    })
    expect((await rowOf(still.id)).status).toBe('stopped')
    // Two hours, of which the deploy had paid the first.
    const { rows } = await sql<{ usd: string }>`
      select usd(wallet_balance) as usd from (select a.balance_micro as wallet_balance from wallets w
        join ledger_account a on a.id = w.account_id where w.user_id = ${user.id}) b`.execute(db())
    expect(Number(rows[0]!.usd)).toBeCloseTo(25 - 0.75 * 3, 1)
    const [letter] = await lettersTo(user.email)
    expect(letter).toMatchObject({ subject: 'Your Ingot account is suspended' })
    expect(letter!.text).toContain(reason)
    expect(letter!.text).toContain('Volumes and snapshots go on being charged')
  })

  test('is told to whoever has the password, and to nobody else; no link, code or new password leads around it', async () => {
    const staff = await administrator()
    const user = await customer()
    await staff.client.people.suspend({ id: user.id, reason })
    expect(await signIn(user.email, 'a wrong password')).toMatchObject({ code: 'invalid_credentials' })
    expect(await signIn(user.email)).toMatchObject({
      code: 'user_banned',
      status: 400,
      message:
        'This account is suspended: A card of yours mines for somebody else. To have it looked at, write to us by the contact page.',
    })
    const client = new AuthClient({
      url: `${server.url}/auth/v1`,
      autoRefreshToken: false,
      persistSession: false,
    })
    expect((await client.resetPasswordForEmail(user.email)).error).toBeNull()
    const mail = (await lettersTo(user.email)).find(each => /token=/.test(each.text))!
    const { pathname, search } = new URL(mail.links.find(link => link.includes('token='))!)
    const answer = await fetch(server.url + pathname + search, { redirect: 'manual' })
    const at = new URLSearchParams(new URL(answer.headers.get('location')!).hash.slice(1))
    expect(at.get('error_code')).toBe('user_banned')
    expect(at.get('access_token')).toBeNull()
    expect(at.get('error_description')).toContain('This account is suspended')
    expect(
      await db().selectFrom('auth_session').select('id').where('user_id', '=', user.id).execute(),
    ).toEqual([])
  })

  test('lets nothing start: no schedule, no turn in the queue, and no call that was let in before', async () => {
    const staff = await administrator()
    const user = await customer()
    const scheduled = await user.client.instances.create(a40({ start: false }))
    await sql`insert into instance_schedule (id, instance_id, action, time, weekdays, time_zone, created_at, updated_at, due_at)
      values (${newId()}, ${scheduled.id}, 'start', '08:00', '{1,2,3,4,5,6,7}', 'UTC', now(), now(), ${server.services.clock.iso(60_000)})`.execute(
      db(),
    )
    await staff.client.people.suspend({ id: user.id, reason })
    await server.advance(120_000)
    const done = await until(
      () =>
        db()
          .selectFrom('instance_schedule')
          .selectAll()
          .where('instance_id', '=', scheduled.id)
          .executeTakeFirstOrThrow(),
      row => row.last_outcome !== null,
    )
    expect(done).toMatchObject({ last_outcome: 'refused', last_message: 'The account is suspended.' })
    expect((await rowOf(scheduled.id)).status).toBe('stopped')
    const { services } = server
    await expect(
      inTransaction(db(), tx => startInstance(tx, services, user.id, scheduled.id)),
    ).rejects.toMatchObject({ code: 'not_allowed', message: 'The account is suspended.' })
    await expect(
      inTransaction(db(), tx =>
        createInstance(tx, services, user.id, { ...a40(), start: true, on_term_end: 'hourly' } as never),
      ),
    ).rejects.toMatchObject({ code: 'not_allowed' })
  })

  test('keeps the turn of one that waits for a place, which starts once the suspension is over', async () => {
    const staff = await administrator()
    const [holder, user] = [await customer(), await customer()]
    const held = await holder.client.instances.create(a40({ gpu_type: 'T4' }))
    await reaches(held.id, 'running')
    const waits = await user.client.instances.create(a40({ gpu_type: 'T4', when_full: 'queue' }))
    await staff.client.people.suspend({ id: user.id, reason })
    await holder.client.instances.delete({ id: held.id })
    const passed = await until(
      () => rowOf(waits.id),
      row => row.status_message !== null,
    )
    expect(passed).toMatchObject({
      status: 'stopped',
      status_reason: 'queued',
      status_message: 'The account is suspended.',
    })
    await staff.client.people.reinstate({ id: user.id, reason })
    await reaches(waits.id, 'running')
  })

  test('stops what is just starting once it runs', async () => {
    const staff = await administrator()
    const user = await customer()
    const box = await user.client.instances.create(a40())
    await staff.client.people.suspend({ id: user.id, reason })
    const stopped = await reaches(box.id, 'stopped')
    expect(stopped).toMatchObject({ desired: 'stopped', status_reason: 'suspended' })
    const { due_at } = await until(
      () =>
        db().selectFrom('suspension').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow(),
      row => row.due_at === null,
    )
    expect(due_at).toBeNull()
  })

  test('credits what arrives meanwhile, and is repeated without effect', async () => {
    const staff = await administrator()
    const user = await customer('0')
    const { walletAddress } = await user.client.wallet.usdtConfig()
    const first = await staff.client.people.suspend({ id: user.id, reason })
    expect(await staff.client.people.suspend({ id: user.id, reason: 'another' })).toEqual(first)
    expect(await lettersTo(user.email)).toHaveLength(1)
    await server.faucet(walletAddress, '30')
    await until(
      async () =>
        (
          await sql<{ usd: string }>`select usd(a.balance_micro) as usd from wallets w
            join ledger_account a on a.id = w.account_id where w.user_id = ${user.id}`.execute(db())
        ).rows[0]?.usd,
      usd => usd === '30.000000',
    )
  })

  test('ends with a reason: what stopped stays stopped, the key stays ended, the password works again', async () => {
    const staff = await administrator()
    const user = await customer()
    const { key_value } = await user.client.accounts.generateApiKey({})
    const box = await user.client.instances.create(a40())
    await reaches(box.id, 'running')
    await staff.client.people.suspend({ id: user.id, reason })
    await reaches(box.id, 'stopped')
    for (let i = 0; i < 2; i++)
      expect(await staff.client.people.reinstate({ id: user.id, reason: 'It was not theirs.' })).toEqual({
        user_id: user.id,
        suspended_at: null,
        reason: null,
      })
    expect(await signIn(user.email)).toBeNull()
    expect(await status(key_value)).toBe(401)
    expect((await rowOf(box.id)).status).toBe('stopped')
    const again = await server.signIn(user.id)
    expect(await again.client.instances.start({ id: box.id })).toMatchObject({ status_reason: null })
    expect((await lettersTo(user.email)).map(mail => mail.subject)).toContain(
      'Your Ingot account is open again',
    )
    const acts = (await entriesOf(user.id)).filter(entry => 'suspended' in (entry.after as object))
    expect(acts).toMatchObject([
      { actor: `staff:${staff.id}`, before: { suspended: false }, after: { suspended: true }, reason },
      { before: { suspended: true }, after: { suspended: false }, reason: 'It was not theirs.' },
    ])
  })

  test('stands beside bans of the auth service: a ban from before comes back, and whoever lifts the ban there lifts it', async () => {
    const staff = await administrator()
    const [user, other] = [await customer(), await customer()]
    const admin = new GoTrueAdminApi({
      url: `${server.url}/auth/v1`,
      headers: { Authorization: `Bearer ${serviceKey}` },
    })
    await admin.updateUserById(user.id, { ban_duration: '24h' })
    const before = await banOf(user.id)
    await staff.client.people.suspend({ id: user.id, reason })
    const shown = (await admin.getUserById(user.id)).data.user as { banned_until?: string }
    expect(Date.parse(shown.banned_until!)).toBeGreaterThan(Date.now() + 90 * 365 * 86_400_000)
    await staff.client.people.reinstate({ id: user.id, reason })
    expect(await banOf(user.id)).toBe(before)
    await staff.client.people.suspend({ id: other.id, reason })
    await admin.updateUserById(other.id, { ban_duration: 'none' })
    expect(await signIn(other.email)).toBeNull()
    expect(await db().selectFrom('suspension').selectAll().where('user_id', '=', other.id).execute()).toEqual(
      [],
    )
  })

  test('is never of oneself, of the last administrator, of nobody; of two who suspend each other at once one is refused', async () => {
    await sql`delete from user_roles`.execute(db())
    const [one, two] = [await administrator(), await administrator()]
    const suspend = (by: TestUser, id: string) => by.client.people.suspend({ id, reason })
    await expect(suspend(one, one.id)).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(suspend(one, newId())).rejects.toMatchObject({ code: 'not_found' })
    const outcomes = await Promise.allSettled([suspend(one, two.id), suspend(two, one.id)])
    expect(outcomes.filter(each => each.status === 'fulfilled')).toHaveLength(1)
    const [left, gone] = outcomes[0]!.status === 'fulfilled' ? [one, two] : [two, one]
    expect([await status(left.token), await status(gone.token)]).toEqual([200, 401])
    // A third one makes no difference: who is suspended suspends nobody.
    const third = await administrator()
    const more = await Promise.allSettled([suspend(left, third.id), suspend(third, left.id)])
    expect(more.filter(each => each.status === 'fulfilled')).toHaveLength(1)
  })
})

test('sessions are ended with a reason; the key goes on working', async () => {
  const staff = await administrator()
  const user = await customer()
  await server.signIn(user.id)
  const { key_value } = await user.client.accounts.generateApiKey({})
  expect(await staff.client.people.endSessions({ id: user.id, reason })).toEqual({
    user_id: user.id,
    ended: 2,
  })
  expect([await status(user.token), await status(key_value)]).toEqual([401, 200])
  expect((await entriesOf(user.id)).at(-1)).toMatchObject({
    after: { sessions_ended: 2 },
    reason,
    operation: 'endUserSessions',
  })
  await expect(staff.client.people.endSessions({ id: staff.id, reason })).rejects.toMatchObject({
    code: 'not_allowed',
  })
})

describe('a deletion by an administrator', () => {
  test('says what it means, asks for the address, refuses what the owner is refused, and is done once', async () => {
    const staff = await administrator()
    const user = await customer()
    const box = await user.client.instances.create(a40())
    await reaches(box.id, 'running')
    expect(await staff.client.people.deletion({ id: user.id })).toMatchObject({
      email: user.email,
      confirmation: user.email,
      instances: 1,
      running: 1,
      volumes: 0,
      sessions: 1,
      has_api_key: false,
      blocked_by: [],
      is_last_administrator: false,
    })
    const wish = { id: user.id, reason, confirmation: user.email.toUpperCase() }
    await expect(staff.client.people.delete({ ...wish, confirmation: 'DELETE' })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { confirmation: `Please type ${user.email} to confirm` },
    })
    await sql`select hold_funds(${user.id}, 'hold', 1000000, 'A dispute', ${newId()}, ${server.services.clock.iso()})`.execute(
      server.owner,
    )
    expect(await staff.client.people.deletion({ id: user.id })).toMatchObject({ blocked_by: ['hold'] })
    await expect(staff.client.people.delete(wish)).rejects.toMatchObject({ code: 'invalid_state' })
    await sql`select release_funds(${user.id}, 'hold', 1000000, 'Settled', ${newId()}, ${server.services.clock.iso()})`.execute(
      server.owner,
    )
    expect(await staff.client.people.delete(wish)).toEqual({ id: user.id })
    await reaches(box.id, 'terminated')
    await expect(staff.client.people.delete(wish)).rejects.toMatchObject({ code: 'not_found' })
    expect((await entriesOf(user.id)).at(-1)).toMatchObject({
      actor: `staff:${staff.id}`,
      after: { account: 'deleted' },
      reason,
    })
    const owed = await db()
      .selectFrom('refund_request')
      .select('amount_micro')
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(owed.amount_micro).toBeGreaterThan(20_000_000n)
  })

  test('is never of oneself or of the last administrator', async () => {
    await sql`delete from user_roles`.execute(db())
    const last = await administrator()
    await expect(
      last.client.people.delete({ id: last.id, reason, confirmation: `${last.id}@example.com` }),
    ).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await last.client.people.deletion({ id: last.id })).toMatchObject({ is_last_administrator: true })
  })
})
