import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import {
  apiVersion,
  createTestAuth,
  newEmail,
  type SignedInClient,
  siteUrl,
  type TestAuth,
} from '../testing/auth-server.ts'
import { signedInAgain, withTotp } from '../testing/factors.ts'
import { browse, startOidc, type TestOidc } from '../testing/oidc-provider.ts'

let oidc: TestOidc
let auth: TestAuth
beforeAll(async () => {
  oidc = await startOidc()
  auth = await createTestAuth({ providers: { ...noProviders, oidc: oidc.client } })
})
afterAll(async () => {
  await auth[Symbol.asyncDispose]()
  await oidc[Symbol.asyncDispose]()
})

function person(email = newEmail(), email_verified = true): string {
  const subject = newId()
  oidc.people.set(subject, { email, email_verified })
  return subject
}

const provider = 'oidc' as 'google'

/** Up to the provider's redirect back to the service. */
async function leave({ client }: Pick<SignedInClient, 'client'>, subject: string): Promise<URL> {
  const { data, error } = await client.linkIdentity({
    provider,
    options: {
      skipBrowserRedirect: true,
      redirectTo: `${siteUrl}/settings`,
      queryParams: { login_hint: subject },
    },
  })
  expect(error).toBeNull()
  return browse(data.url!)
}

const link = async (user: Pick<SignedInClient, 'client'>, subject: string) =>
  (await auth.follow(await leave(user, subject))).location

const fragment = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

describe('linking an identity', () => {
  test('adds it to the account that is signed in, whatever its address', async () => {
    const user = await auth.signedIn()
    const subject = person()
    const location = await link(user, subject)
    expect(location.pathname).toBe('/settings')
    const answer = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(answer.body).toMatchObject({
      id: user.id,
      email: user.email,
      app_metadata: { provider: 'email', providers: ['email', 'oidc'] },
      identities: [{ provider: 'email' }, { provider: 'oidc', id: subject }],
    })
    const { data } = await user.client.getUserIdentities()
    expect(data!.identities.map(identity => identity.provider)).toEqual(['email', 'oidc'])
  })

  test('and signing in with it later leads to that account', async () => {
    const user = await auth.signedIn()
    const subject = person()
    await link(user, subject)
    const { data } = await auth.client().signInWithOAuth({
      provider,
      options: { skipBrowserRedirect: true, queryParams: { login_hint: subject } },
    })
    const { location } = await auth.follow(await browse(data.url!))
    const answer = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(answer.body['id']).toBe(user.id)
  })

  test('twice, or that of somebody else, is refused', async () => {
    const subject = person()
    const user = await auth.signedIn()
    await link(user, subject)
    expect(fragment(await link(user, subject))).toMatchObject({
      error: 'server_error',
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked',
    })
    expect(fragment(await link(await auth.signedIn(), subject))).toMatchObject({
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    })
  })

  test('ends with the session that began it', async () => {
    const user = await auth.signedIn()
    const callback = await leave(user, person())
    await user.client.signOut({ scope: 'local' })
    expect(fragment((await auth.follow(callback)).location)).toMatchObject({ error_code: 'bad_oauth_state' })
  })

  test('answers 302 to who does not ask for the address', async () => {
    const { token } = await auth.signedIn()
    const answer = await auth.call('GET', '/user/identities/authorize?provider=oidc', { token })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(oidc.client.issuer)
  })

  test('to a provider that is off is refused', async () => {
    const { client } = await auth.signedIn()
    const { error } = await client.linkIdentity({
      provider: 'google',
      options: { skipBrowserRedirect: true },
    })
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
  })
})

test('with a second factor, neither linking nor unlinking works on a password alone', async () => {
  const owner = await withTotp(auth)
  const thief = await signedInAgain(auth, owner)
  const { data } = await thief.client.getUserIdentities()
  const refused = { status: 401, code: 'insufficient_aal' }
  const linked = await thief.client.linkIdentity({
    provider,
    options: { skipBrowserRedirect: true },
  })
  expect(linked.error).toMatchObject(refused)
  expect((await thief.client.unlinkIdentity(data!.identities[0]!)).error).toMatchObject(refused)
})

describe('unlinking an identity', () => {
  const identity = async ({ client }: SignedInClient, name: string) => {
    const { data } = await client.getUserIdentities()
    return data!.identities.find(each => each.provider === name)!
  }

  test('removes it, and it no longer signs in to the account', async () => {
    const user = await auth.signedIn()
    const subject = person()
    await link(user, subject)
    const { data, error } = await user.client.unlinkIdentity(await identity(user, 'oidc'))
    expect(error).toBeNull()
    expect(data).toEqual({})
    expect((await user.client.getUser()).data.user).toMatchObject({
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email' }],
    })
    const { rows } = await sql`select 1 from auth_identity where provider_id = ${subject}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([])
  })

  test('of the address itself takes the other’s address and the password with it', async () => {
    const user = await auth.signedIn()
    const email = newEmail()
    await link(user, person(email))
    await user.client.unlinkIdentity(await identity(user, 'email'))
    expect((await user.client.getUser()).data.user).toMatchObject({
      email,
      app_metadata: { provider: 'oidc', providers: ['oidc'] },
    })
    for (const address of [user.email, email]) {
      const { error } = await auth.client().signInWithPassword({ email: address, password: user.password })
      expect(error).toMatchObject({ code: 'invalid_credentials' })
    }
  })

  test('of the address keeps it where no other identity has proved one', async () => {
    const user = await auth.signedIn()
    await link(user, person(newEmail(), false))
    await user.client.unlinkIdentity(await identity(user, 'email'))
    expect((await user.client.getUser()).data.user!.email).toBe(user.email)
  })

  test('is refused when the account would get an address that somebody else has', async () => {
    const other = await auth.signedIn()
    const user = await auth.signedIn()
    await link(user, person(other.email))
    const { error } = await user.client.unlinkIdentity(await identity(user, 'email'))
    expect(error).toMatchObject({ status: 422, code: 'email_conflict_identity_not_deletable' })
    expect(await identity(user, 'email')).toBeTruthy()
  })

  test('is refused for the last one, an unknown one, somebody else’s and no id at all', async () => {
    const user = await auth.signedIn()
    const remove = (id: string) =>
      auth.call('DELETE', `/user/identities/${id}`, { token: user.token, headers: apiVersion })
    const own = await identity(user, 'email')
    expect(await remove(own.identity_id)).toMatchObject({
      status: 422,
      body: {
        code: 'single_identity_not_deletable',
        message: 'User must have at least 1 identity after unlinking',
      },
    })
    expect(await remove('x')).toMatchObject({
      status: 404,
      body: { code: 'validation_failed', message: 'identity_id must be an UUID' },
    })
    await link(user, person())
    const others = await identity(await auth.signedIn(), 'email')
    for (const id of [newId(), others.identity_id])
      expect(await remove(id)).toMatchObject({
        status: 422,
        body: { code: 'identity_not_found', message: "Identity doesn't exist" },
      })
  })
})

test('who calls comes first, then whether linking is on', async () => {
  await using off = await createTestAuth({
    manualLinking: false,
    providers: { ...noProviders, oidc: oidc.client },
  })
  const { token } = await off.signedIn()
  for (const [method, path] of [
    ['GET', '/user/identities/authorize?provider=oidc'],
    ['DELETE', '/user/identities/x'],
  ] as const) {
    expect(await off.call(method, path, { headers: apiVersion })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    })
    expect(await off.call(method, path, { token, headers: apiVersion })).toMatchObject({
      status: 404,
      body: { code: 'manual_linking_disabled', message: 'Manual linking is disabled' },
    })
  }
})
