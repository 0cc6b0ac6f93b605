import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js'
import { createClient } from '@ingot/sdk/client'
import { nothing, operation } from '@ingot/contracts/operation'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { createAuthenticate } from '../auth/sessions/authenticate.ts'
import { appendAudit } from '../db/audit-log.ts'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { bindAll } from '../http/bind.ts'
import { sendError } from '../http/errors.ts'
import { useTestServer } from './test-server.ts'

const serviceKey = 'a-service-key-of-thirty-two-characters'
const server = useTestServer({ worker: false, env: { INGOT_SERVICE_KEY: serviceKey } })
const db = () => server.services.database.kysely
const password = 'four words nobody tries'

const authClient = () =>
  new AuthClient({
    url: `${server.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
    experimental: { recoveryCodes: true },
  })
const admin = () =>
  new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${serviceKey}` } })
const newEmail = () => `${newId()}@example.com`

async function follow(to: string): Promise<void> {
  const { items } = await createClient({ baseUrl: server.url }).dev.mail({})
  const links = items.find(mail => mail.to === to)!.links.filter(link => link.includes('token='))
  const { pathname, search } = new URL(links[0]!)
  await fetch(server.url + pathname + search, { redirect: 'manual' })
}

/** A confirmed user who has signed in. */
async function signedUp(email = newEmail()) {
  const client = authClient()
  await client.signUp({ email, password })
  await follow(email)
  const { user, session } = (await client.signInWithPassword({ email, password })).data
  return {
    client,
    email,
    id: user!.id,
    v1: server.client(session!.access_token),
    token: session!.access_token,
  }
}

async function administrator() {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}

const entriesOf = (userId: string) =>
  db().selectFrom('audit_log').selectAll().where('user_id', '=', userId).orderBy('id').execute()
/** What is new since the last look, in short. */
function watching(userId: string) {
  let seen = 0
  return async () => {
    const entries = await entriesOf(userId)
    const fresh = entries.slice(seen)
    seen = entries.length
    return fresh.map(({ actor, operation, before, after }) => [actor, operation, before, after])
  }
}

describe('what changes the safety of an account', () => {
  test('is not a sign-up, a sign-in, a renewal or a sign-out', async () => {
    const { client, id, email } = await signedUp()
    await client.refreshSession()
    await authClient().signInWithPassword({ email, password: 'wrong' })
    await client.updateUser({ data: { color: 'red' } })
    await client.signOut()
    expect(await entriesOf(id)).toEqual([])
  })

  test('is a password, by whom, from where and through which call', async () => {
    const { client, id } = await signedUp()
    await client.updateUser({ password: `${password} more` })
    const [entry, ...more] = await entriesOf(id)
    expect(more).toEqual([])
    expect(entry).toMatchObject({
      actor: `user:${id}`,
      role: 'user',
      ip: '127.0.0.1',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      operation: 'PUT /auth/v1/user',
      subject_kind: 'account',
      subject_id: id,
      before: { password: 'set' },
      after: { password: 'changed' },
      reason: null,
    })
  })

  test('is an address, by the link that proved the new one', async () => {
    const { client, id, email } = await signedUp()
    const fresh = watching(id)
    const next = newEmail()
    await client.updateUser({ email: next })
    await follow(email)
    expect(await fresh()).toEqual([])
    await follow(next)
    expect(await fresh()).toEqual([[`user:${id}`, 'GET /auth/v1/verify', { email }, { email: next }]])
  })

  test('is a password that the first proof of an address takes away', async () => {
    const email = newEmail()
    const { data } = await authClient().signUp({ email, password })
    await authClient().resetPasswordForEmail(email)
    await follow(email)
    const { id } = data.user!
    expect((await entriesOf(id)).map(({ actor, before, after }) => [actor, before, after])).toEqual([
      [`user:${id}`, { password: 'set' }, { password: null }],
    ])
  })

  test('is a second factor and its recovery codes', async () => {
    const { client, id } = await signedUp()
    const fresh = watching(id)
    const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'my phone' })
    if (data?.type !== 'totp') throw new Error('no app')
    expect(await fresh()).toEqual([])
    const code = TOTP.generate({ secret: Secret.fromBase32(data.totp.secret) })
    await client.mfa.challengeAndVerify({ factorId: data.id, code })
    const app = { factor: 'totp', name: 'my phone' }
    const none = { factor: null, name: null }
    expect(await fresh()).toEqual([[`user:${id}`, 'POST /auth/v1/factors/:id/verify', none, app]])
    await client.mfa.recoveryCodes.generate()
    expect((await fresh()).map(([, , , after]) => after)).toEqual([
      { factor: 'recovery_code', name: 'Recovery codes' },
      { recovery_codes: 'made' },
    ])
    await client.mfa.recoveryCodes.regenerate()
    expect((await fresh()).map(([, , , after]) => after)).toEqual([{ recovery_codes: 'made' }])
    await admin().mfa.deleteFactor({ id: data.id, userId: id })
    expect((await fresh()).map(([actor, , before]) => [actor, before])).toEqual([
      ['staff:service_role', app],
      ['staff:service_role', { factor: 'recovery_code', name: 'Recovery codes' }],
    ])
  })

  test('is an API key, and the end of the one before', async () => {
    const { id, v1 } = await signedUp()
    const fresh = watching(id)
    await v1.accounts.generateApiKey({ name: 'ci' })
    await v1.accounts.generateApiKey({ name: 'laptop' })
    await v1.accounts.revokeApiKey()
    const by = [`user:${id}`, 'generate_api_key'] as const
    const [works, ended] = [{ works: true }, { works: false }]
    expect(await fresh()).toEqual([
      [...by, { name: null, works: null }, { name: 'ci', works: true }],
      [...by, works, ended],
      [...by, { name: null, works: null }, { name: 'laptop', works: true }],
      [`user:${id}`, 'revokeApiKey', works, ended],
    ])
  })

  test('is an identity of a provider, but not the one that an account was made with', async () => {
    const { id } = await signedUp()
    const fresh = watching(id)
    const link = (userId: string) => sql`
      insert into auth_identity (id, user_id, provider, provider_id, identity_data)
      values (${newId()}, ${userId}, 'github', ${newId()}, '{}')`
    await link(id).execute(db())
    await sql`delete from auth_identity where user_id = ${id} and provider = 'github'`.execute(db())
    const [none, github] = [{ provider: null }, { provider: 'github' }]
    expect(await fresh()).toEqual([
      ['system', null, none, github],
      ['system', null, github, none],
    ])
    const other = newId()
    await inTransaction(db(), async tx => {
      await sql`insert into auth_user (id) values (${other})`.execute(tx)
      await link(other).execute(tx)
    })
    expect(await entriesOf(other)).toEqual([])
  })

  test('is nothing where the write failed', async () => {
    const { id } = await signedUp()
    const write = inTransaction(db(), async tx => {
      await tx.updateTable('auth_user').set({ phone: '15550001111' }).where('id', '=', id).execute()
      throw new Error('no')
    })
    await expect(write).rejects.toThrow('no')
    expect(await entriesOf(id)).toEqual([])
  })
})

describe('what staff do', () => {
  test('to an account through the auth service: made, changed, sessions ended, banned, led to a link', async () => {
    const email = newEmail()
    const { id } = (await admin().createUser({ email, password, email_confirm: true })).data.user!
    const fresh = watching(id)
    const by = ['staff:service_role', 'POST /auth/v1/admin/users'] as const
    const [[actor, operation, , made]] = (await fresh()) as [[string, string, object, object]]
    expect([actor, operation]).toEqual(by)
    expect(made).toMatchObject({ account: 'open', email, password: 'set' })
    await server.signIn(id)
    await admin().updateUserById(id, { password: `${password} more`, ban_duration: '1h' })
    const changes = (await fresh()).map(([, , , after]) => after)
    expect(changes).toEqual([
      { password: 'changed', banned_until: expect.any(String) },
      { sessions_ended: 1 },
    ])
    await admin().updateUserById(id, { user_metadata: { color: 'red' } })
    expect((await fresh()).map(([, , , after]) => after)).toEqual([{ user_metadata: 'changed' }])
    await admin().generateLink({ type: 'recovery', email })
    expect((await fresh()).at(-1)![3]).toEqual({ link: 'recovery' })
    const invited = (await admin().inviteUserByEmail(newEmail())).data.user!
    expect((await entriesOf(invited.id)).at(-1)!.after).toEqual({ link: 'invite' })
    expect((await entriesOf(id)).every(entry => entry.role === 'service_role')).toBe(true)
  })

  test('to a role, with their own role and the reason that they give', async () => {
    const { client, id: by } = await administrator()
    const { id } = await server.user()
    await client.admin.setRole({ id, role: 'moderator', reason: 'answers tickets from today' })
    await client.admin.setRole({ id, role: 'moderator' })
    const change = { operation: 'setUserRole', actor: `staff:${by}`, role: 'admin' }
    expect(await entriesOf(id)).toMatchObject([
      {
        ...change,
        before: { role: 'user' },
        after: { role: 'moderator' },
        reason: 'answers tickets from today',
      },
      { ...change, before: {}, after: {}, reason: null },
    ])
  })

  test('to an inquiry', async () => {
    const { client, id: by } = await administrator()
    const writer = createClient({ baseUrl: server.url })
    await writer.site.inquire({
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: newEmail(),
      type: 'general',
      message: 'Is anybody there?',
    })
    const { id } = (await client.site.inquiries({})).items[0]!
    await client.site.answerInquiry({ id, text: 'Yes, write on.' })
    await client.site.closeInquiry({ id })
    const entries = await db()
      .selectFrom('audit_log')
      .selectAll()
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute()
    expect(entries).toMatchObject([
      {
        actor: `staff:${by}`,
        before: { status: 'open', answer: null },
        after: { status: 'answered', answer: 'sent' },
      },
      { actor: `staff:${by}`, before: { status: 'answered' }, after: { status: 'closed' } },
    ])
  })

  test('is refused, and undone, where it would leave no entry', async () => {
    const { services } = server
    const write = (id: string, path: `/${string}`) =>
      operation({
        id,
        method: 'POST',
        path,
        who: 'admin',
        summary: '',
        input: nothing,
        output: nothing,
        status: 200,
        errors: [],
      })
    const app = Fastify()
    app.setErrorHandler(sendError)
    const { id, token } = await administrator()
    const note = (tx: Parameters<typeof appendAudit>[0]) =>
      tx.updateTable('profiles').set({ company: 'changed' }).where('user_id', '=', id).execute()
    bindAll(
      app,
      { admin: { silent: write('silent', '/silent'), noted: write('noted', '/noted') } },
      {
        admin: {
          silent: async (_, { db: tx }) => {
            await note(tx)
            return {}
          },
          noted: async (_, { db: tx }) => {
            await appendAudit(tx, { kind: 'account', id, userId: id, after: { company: 'changed' } })
            return {}
          },
        },
      },
      { ...services, authenticate: createAuthenticate(services) },
    )
    const call = async (url: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (await app.inject({ method: 'POST', url, headers, payload: '{}' })).statusCode
    }
    expect(await call('/silent')).toBe(500)
    const profile = await db()
      .selectFrom('profiles')
      .select('company')
      .where('user_id', '=', id)
      .executeTakeFirst()
    expect(profile!.company).toBe('')
    expect(await call('/noted')).toBe(200)
    await app.close()
  })
})

describe('an entry', () => {
  test('is never changed, and never deleted', async () => {
    const { client, id } = await signedUp()
    await client.updateUser({ password: `${password} more` })
    for (const change of [
      sql`update audit_log set actor = 'system' where user_id = ${id}`,
      sql`update audit_log set after = '{"password": "set"}' where user_id = ${id}`,
      sql`update audit_log set ip = '192.0.2.1' where user_id = ${id}`,
      sql`delete from audit_log where user_id = ${id}`,
      sql`truncate audit_log`,
    ]) {
      await expect(change.execute(db())).rejects.toMatchObject({ code: '42501' })
      await expect(change.execute(server.owner)).rejects.toMatchObject({ code: 'IN001' })
    }
  })

  test('outlives its account without values, addresses and reasons, and keeps the names of what changed', async () => {
    const { client, id: by } = await administrator()
    const leaver = await signedUp()
    await client.admin.setRole({ id: leaver.id, role: 'moderator', reason: 'Ada Lovelace helps' })
    await leaver.v1.accounts.generateApiKey({ name: 'of Ada' })
    await leaver.client.updateUser({ password: `${password} more` })
    const before = await entriesOf(leaver.id)
    const names = (entry: { before: object; after: object }) => [
      Object.keys(entry.before),
      Object.keys(entry.after),
    ]
    await leaver.v1.accounts.deleteAccount({ confirmation: 'DELETE', password: `${password} more` })
    const after = await entriesOf(leaver.id)
    expect(after.slice(0, before.length).map(names)).toEqual(before.map(names))
    expect(after.slice(0, before.length).map(({ actor, operation, at }) => [actor, operation, at])).toEqual(
      before.map(({ actor, operation, at }) => [actor, operation, at]),
    )
    expect(after[0]).toMatchObject({ actor: `staff:${by}`, after: { role: null }, reason: null, ip: null })
    expect(after.at(-1)).toMatchObject({
      actor: `user:${leaver.id}`,
      operation: 'deleteAccount',
      before: { account: 'open' },
      after: { account: 'deleted' },
      ip: null,
    })
    const values = after
      .slice(0, -1)
      .flatMap(entry => [entry.before, entry.after].flatMap(each => Object.values(each)))
    expect(new Set(values)).toEqual(new Set([null]))
  })

  test('of a moderator who left keeps what they did to others, without their address', async () => {
    const { client, id: by, ...rest } = await administrator()
    await administrator()
    const { id } = await server.user()
    await client.admin.setRole({ id, role: 'moderator' })
    await admin().deleteUser(by)
    expect(rest.token).toBeDefined()
    expect(await entriesOf(id)).toMatchObject([
      { actor: `staff:${by}`, ip: null, before: { role: 'user' }, after: { role: 'moderator' } },
    ])
    const last = (await entriesOf(by)).at(-1)
    expect(last).toMatchObject({
      actor: 'staff:service_role',
      after: { account: 'deleted' },
      ip: '127.0.0.1',
    })
  })
})
