import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProviders } from '../config.ts'
import { newId } from '../db/ids.ts'
import { defaultSettings } from './settings.ts'
import {
  apiVersion,
  createTestAuth,
  newEmail,
  newPhone,
  siteUrl,
  type TestAuth,
} from './testing/auth-server.ts'
import { callAs, refused } from './testing/factors.ts'
import { browse, startOidc, type TestOidc } from './testing/oidc-provider.ts'

let oidc: TestOidc
let auth: TestAuth
beforeAll(async () => {
  oidc = await startOidc()
  const providers = { ...noProviders, oidc: oidc.client }
  auth = await createTestAuth({ anonymous: true, providers }, undefined, { sms: { kind: 'inbox' } })
})
afterAll(async () => {
  await auth[Symbol.asyncDispose]()
  await oidc[Symbol.asyncDispose]()
})

const password = 'correct horse'

async function anonymous(on: TestAuth = auth) {
  const client = on.client()
  const { data, error } = await client.signInAnonymously()
  if (error) throw error
  return { client, id: data.user!.id, token: data.session!.access_token }
}

const userOf = async ({ client }: Pick<Awaited<ReturnType<typeof anonymous>>, 'client'>) =>
  (await client.getUser()).data.user!

describe('an anonymous sign-in', () => {
  test('opens an account without an address or identity, and says so in user and token', async () => {
    const client = auth.client()
    const { data, error } = await client.signInAnonymously({ options: { data: { theme: 'dark' } } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      is_anonymous: true,
      role: 'authenticated',
      aud: 'authenticated',
      email: '',
      phone: '',
      identities: [],
      app_metadata: {},
      user_metadata: { theme: 'dark' },
    })
    const { claims } = (await client.getClaims()).data!
    expect(claims).toMatchObject({
      is_anonymous: true,
      aal: 'aal1',
      amr: [{ method: 'anonymous' }],
      email: '',
    })
    expect((await client.refreshSession()).data.user).toMatchObject({ id: data.user!.id, is_anonymous: true })
    expect(await userOf({ client })).toMatchObject({ id: data.user!.id, is_anonymous: true })
    const caller = await fetch(`${auth.origin}/v1/caller`, {
      headers: { authorization: `Bearer ${data.session!.access_token}` },
    })
    expect(await caller.json()).toMatchObject({ userId: data.user!.id, role: 'user' })
  })

  test('is off unless the operator switches it on, and closed where nobody may open an account', async () => {
    expect(defaultSettings({ loopback: true }).anonymous).toBe(false)
    await using off = await createTestAuth({}, auth.database)
    expect(await off.call('POST', '/signup', { headers: apiVersion, body: {} })).toMatchObject(
      refused(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'),
    )
    await using closed = await createTestAuth({ anonymous: true, signUp: false }, auth.database)
    expect(await closed.call('POST', '/signup', { headers: apiVersion, body: {} })).toMatchObject(
      refused(422, 'signup_disabled'),
    )
    const shown = async (on: TestAuth) =>
      ((await on.call('GET', '/settings')).body['external'] as Record<string, boolean>)['anonymous_users']
    expect([await shown(auth), await shown(off)]).toEqual([true, false])
  })

  test('is counted per network, apart from other sign-ups', async () => {
    const { buckets } = defaultSettings({ loopback: false })
    expect(buckets.anonymous).toEqual({ burst: 30, perSecond: 30 / 3600 })
    const tight = { burst: 2, perSecond: 0 }
    const none = { ...buckets, signup: null }
    await using limited = await createTestAuth(
      { anonymous: true, buckets: { ...none, anonymous: tight } },
      auth.database,
    )
    const from = (ip: string, body: object = {}) =>
      limited.call('POST', '/signup', { headers: { ...apiVersion, 'x-forwarded-for': ip }, body })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await from('192.0.2.1')).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await from('192.0.2.2')).status).toBe(200)
    expect((await from('192.0.2.1', { email: newEmail(), password })).status).toBe(200)
  })

  test.each([
    [{ data: { a: 'x'.repeat(4096) } }, 400, 'validation_failed'],
    [{ data: [] }, 400, 'bad_json'],
    [{ data: { a: '\u0000' } }, 400, 'validation_failed'],
  ])('refuses %j', async (body, status, code) => {
    expect(await auth.call('POST', '/signup', { headers: apiVersion, body })).toMatchObject(
      refused(status, code),
    )
  })

  test('has no second factor, and no password without an address or phone', async () => {
    const { token } = await anonymous()
    for (const [method, path] of [
      ['POST', '/factors'],
      ['GET', '/factors/recovery-codes'],
      ['DELETE', `/factors/${newId()}`],
    ] as const)
      expect(await callAs(auth, token, method, path, method === 'GET' ? undefined : {})).toMatchObject(
        refused(403, 'no_authorization'),
      )
    expect(await callAs(auth, token, 'PUT', '/user', { password })).toMatchObject(
      refused(
        422,
        'validation_failed',
        'Updating password of an anonymous user without an email or phone is not allowed',
      ),
    )
    expect((await callAs(auth, token, 'PUT', '/user', { data: { name: 'A' } })).body).toMatchObject({
      user_metadata: { name: 'A' },
      is_anonymous: true,
    })
  })
})

describe('an anonymous account becomes an account like any other, with its id,', () => {
  test('by an address, once its link is opened; then it takes a password and signs in with it', async () => {
    const user = await anonymous()
    const email = newEmail()
    const { data } = await user.client.updateUser({ email })
    expect(data.user).toMatchObject({ is_anonymous: true, email: '', new_email: email, identities: [] })
    const [link] = await auth.linksTo(email)
    expect((await auth.mailTo(email))[0]!.text).not.toContain('old address')
    const { location } = await auth.follow(link!)
    expect(location.hash).toContain('access_token=')
    const token = new URLSearchParams(location.hash.slice(1)).get('access_token')!
    expect((await callAs(auth, token, 'GET', '/user')).body).toMatchObject({
      id: user.id,
      is_anonymous: false,
      email,
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email' }],
    })
    expect((await callAs(auth, token, 'PUT', '/user', { password })).status).toBe(200)
    const signedIn = await auth.client().signInWithPassword({ email, password })
    expect(signedIn.data.user).toMatchObject({ id: user.id, is_anonymous: false })
    expect((await callAs(auth, signedIn.data.session!.access_token, 'POST', '/factors', {})).status).toBe(400)
  })

  test('by an address with the password of the same call', async () => {
    const user = await anonymous()
    const email = newEmail()
    expect((await user.client.updateUser({ email, password })).error).toBeNull()
    expect((await auth.client().signInWithPassword({ email, password })).error).not.toBeNull()
    await auth.follow((await auth.linksTo(email))[0]!)
    const { data } = await auth.client().signInWithPassword({ email, password })
    expect(data.user).toMatchObject({ id: user.id, is_anonymous: false })
  })

  test('by an address at once, where accounts open without a mail', async () => {
    await using open = await createTestAuth({ anonymous: true, autoconfirm: true }, auth.database)
    const user = await anonymous(open)
    const email = newEmail()
    const { data, error } = await user.client.updateUser({ email, password })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: user.id, email, is_anonymous: false })
    expect(data.user!.identities).toMatchObject([{ provider: 'email' }])
    expect((await open.client().signInWithPassword({ email, password })).data.user?.id).toBe(user.id)
  })

  test('by a phone, once its code is typed', async () => {
    const user = await anonymous()
    const phone = newPhone()
    expect((await user.client.updateUser({ phone })).error).toBeNull()
    const token = /\d{6}/.exec((await auth.mailTo(phone))[0]!.text)![0]
    const { data, error } = await user.client.verifyOtp({ type: 'phone_change', phone, token })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: user.id, phone: phone.slice(1), is_anonymous: false })
  })

  test('by a provider', async () => {
    const user = await anonymous()
    const subject = newId()
    const email = newEmail()
    oidc.people.set(subject, { email, email_verified: true })
    const { data } = await user.client.linkIdentity({
      provider: 'oidc' as 'google',
      options: {
        skipBrowserRedirect: true,
        redirectTo: `${siteUrl}/settings`,
        queryParams: { login_hint: subject },
      },
    })
    const { location } = await auth.follow(await browse(data!.url!))
    const token = new URLSearchParams(location.hash.slice(1)).get('access_token')!
    expect((await callAs(auth, token, 'GET', '/user')).body).toMatchObject({
      id: user.id,
      email,
      is_anonymous: false,
      app_metadata: { provider: 'oidc', providers: ['oidc'] },
    })
  })

  test('by no address that somebody else has', async () => {
    const owner = await auth.signedIn()
    const user = await anonymous()
    expect((await user.client.updateUser({ email: owner.email })).error).toMatchObject({
      code: 'email_exists',
    })
    expect(await userOf(user)).toMatchObject({ is_anonymous: true, email: '' })
    const { rows } = await sql`select from auth_identity where user_id = ${user.id}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([])
  })
})
