import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { noProviders } from '../../config.ts'
import { defaultSettings } from '../settings.ts'
import { apiVersion, createTestAuth, newEmail, siteUrl, type TestAuth } from '../test-auth.ts'
import { browse, type OidcPerson, startOidc, type TestOidc } from './test-oidc.ts'

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

type Client = ReturnType<TestAuth['client']>
const page = `${siteUrl}/arrived?keep=1`

/** Somebody at the provider; answers their name there. */
function person(claims: OidcPerson = {}): string {
  const subject = newId()
  oidc.people.set(subject, { email: newEmail(), email_verified: true, name: 'Grace Hopper', ...claims })
  return subject
}

const emailOf = (subject: string): string => oidc.people.get(subject)!.email!

interface Options {
  readonly service?: TestAuth
  readonly scopes?: string
  readonly params?: Record<string, string>
}

/** As the client's own redirect would do, up to the provider's redirect back to the service. */
async function leave(client: Client, subject: string, options: Options = {}): Promise<URL> {
  const { data, error } = await client.signInWithOAuth({
    provider: 'oidc' as 'google',
    options: {
      skipBrowserRedirect: true,
      redirectTo: page,
      scopes: options.scopes,
      queryParams: { login_hint: subject, ...options.params },
    },
  })
  expect(error).toBeNull()
  return browse(data.url!)
}

const arrive = (callback: URL, service = auth) => service.follow(callback)

async function signIn(client: Client, subject: string, options: Options = {}) {
  return arrive(await leave(client, subject, options), options.service)
}

const fragment = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
const query = (url: URL) => Object.fromEntries(url.searchParams)

/** A refusal is in the query and in the fragment; what the page's address held stays. */
function expectRefused(location: URL, error: string, code: string | undefined, description?: string) {
  const told = {
    error,
    ...(code ? { error_code: code } : {}),
    ...(description ? { error_description: description } : {}),
  }
  expect(query(location)).toMatchObject(told)
  expect(fragment(location)).toMatchObject({ ...told, sb: '' })
}

const usersOf = async (email: string) =>
  (await sql<{ id: string }>`select id from auth_user where email = ${email}`.execute(auth.database.kysely))
    .rows

describe('the way to a provider', () => {
  test('carries our proof key and nonce, the scopes, and what the caller hands on', async () => {
    const { data } = await auth.client().signInWithOAuth({
      provider: 'oidc' as 'google',
      options: {
        skipBrowserRedirect: true,
        scopes: 'offline_access,extra',
        queryParams: {
          prompt: 'consent',
          client_id: 'mine',
          redirect_uri: 'https://evil.example',
          response_type: 'token',
          state: 'mine',
          code_verifier: 'x',
          scope: 'everything',
        },
      },
    })
    const response = await fetch(data.url!, { redirect: 'manual' })
    expect(response.status).toBe(302)
    const url = new URL(response.headers.get('location')!)
    expect(url.origin).toBe(oidc.client.issuer)
    const { state, nonce, code_challenge, ...rest } = query(url)
    expect(state).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(nonce).toMatch(/^[\w-]{22}$/)
    expect(code_challenge).toMatch(/^[\w-]{43}$/)
    expect(rest).toEqual({
      client_id: 'ingot',
      redirect_uri: `${siteUrl}/auth/v1/callback`,
      response_type: 'code',
      scope: 'openid email profile offline_access extra',
      code_challenge_method: 'S256',
      prompt: 'consent',
    })
    const { rows } = await sql`select * from auth_flow`.execute(auth.database.kysely)
    expect(JSON.stringify(rows)).not.toContain(state)
  })

  test.each([
    ['', 'Unsupported provider: Provider  could not be found'],
    ['provider=nobody', 'Unsupported provider: Provider nobody could not be found'],
    ['provider=github', 'Unsupported provider: provider is not enabled'],
    ['provider=oidc&code_challenge=x', 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      'provider=oidc&code_challenge=x&code_challenge_method=s256',
      'code challenge has to be between 43 and 128 characters',
    ],
    [`provider=oidc&x=${'x'.repeat(3000)}`, 'A query parameter is too long (at most 2048 characters)'],
  ])('is refused: %s', async (asked, message) => {
    const answer = await auth.call('GET', `/authorize?${asked}`, { headers: apiVersion })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test('leads back to the page while the provider is down', async () => {
    await using other = await createTestAuth(
      { providers: { ...noProviders, oidc: { ...oidc.client, issuer: 'http://127.0.0.1:9' } } },
      auth.database,
    )
    const location = (await other.follow(new URL(`${other.url}/authorize?provider=oidc&redirect_to=${page}`)))
      .location
    expectRefused(location, 'server_error', 'unexpected_failure', 'oidc cannot be reached at the moment')
  })
})

describe('signing in through a provider', () => {
  test('opens an account, with the session in the fragment', async () => {
    const subject = person({ given_name: 'Grace', family_name: 'Hopper' })
    const client = auth.client()
    const { status, location } = await signIn(client, subject)
    expect(status).toBe(302)
    expect(location.href.split('#')[0]).toBe(page)
    const { access_token, refresh_token, provider_token, ...rest } = fragment(location)
    expect(rest).toEqual({
      expires_at: expect.stringMatching(/^\d+$/) as string,
      expires_in: '3600',
      sb: '',
      token_type: 'bearer',
    })
    expect(provider_token).toBeTruthy()
    const { data, error } = await client.setSession({
      access_token: access_token!,
      refresh_token: refresh_token!,
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: emailOf(subject),
      email_confirmed_at: expect.any(String) as string,
      app_metadata: { provider: 'oidc', providers: ['oidc'] },
      user_metadata: {
        iss: oidc.client.issuer,
        sub: subject,
        name: 'Grace Hopper',
        full_name: 'Grace Hopper',
        email: emailOf(subject),
        email_verified: true,
        phone_verified: false,
      },
      identities: [{ id: subject, provider: 'oidc', email: emailOf(subject) }],
    })
    const { data: claims } = await client.getClaims()
    expect(claims!.claims.amr).toEqual([{ method: 'oauth', timestamp: expect.any(Number) as number }])
    const { rows } = await sql`
      select first_name, last_name from profiles where user_id = ${data.user!.id}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([{ first_name: 'Grace', last_name: 'Hopper' }])
  })

  test('again is the same account, with what the provider says now', async () => {
    const subject = person()
    await signIn(auth.client(), subject)
    const [user] = await usersOf(emailOf(subject))
    oidc.people.set(subject, { ...oidc.people.get(subject), email: newEmail(), name: 'Rear Admiral' })
    const { location } = await signIn(auth.client(), subject)
    const answer = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(answer.body).toMatchObject({ id: user!.id, user_metadata: { name: 'Rear Admiral' } })
    expect(answer.body['email']).not.toBe(emailOf(subject))
  })

  test('in two windows at once makes one account', async () => {
    const subject = person()
    const callbacks = await Promise.all([1, 2, 3].map(() => leave(auth.client(), subject)))
    const arrivals = await Promise.all(callbacks.map(callback => arrive(callback)))
    for (const { location } of arrivals) expect(fragment(location)['access_token']).toBeTruthy()
    expect(await usersOf(emailOf(subject))).toHaveLength(1)
  })

  test('leads a page with a verifier to a code that is exchanged once, with the provider’s tokens', async () => {
    const subject = person()
    const client = auth.client({ flowType: 'pkce' })
    const { location } = await signIn(client, subject, {
      scopes: 'offline_access',
      params: { prompt: 'consent' },
    })
    expect(location.hash).toBe('')
    const { code, keep } = query(location)
    expect(keep).toBe('1')
    const stored = await sql`select * from auth_code`.execute(auth.database.kysely)
    expect(stored.rows).toHaveLength(1)
    const { data, error } = await client.exchangeCodeForSession(code!)
    expect(error).toBeNull()
    expect(data.user!.email).toBe(emailOf(subject))
    expect(data.session!.provider_token).toBeTruthy()
    expect(data.session!.provider_refresh_token).toBeTruthy()
    const stolen = auth.client({ flowType: 'pkce' })
    await leave(stolen, subject)
    expect((await stolen.exchangeCodeForSession(code!)).error).toMatchObject({ code: 'flow_state_not_found' })
  })

  test('with another verifier gets nothing, and the right one still works', async () => {
    const subject = person()
    const client = auth.client({ flowType: 'pkce' })
    const { location } = await signIn(client, subject)
    const { code } = query(location)
    const thief = auth.client({ flowType: 'pkce' })
    await leave(thief, subject)
    expect((await thief.exchangeCodeForSession(code!)).error).toMatchObject({ code: 'bad_code_verifier' })
    expect((await client.exchangeCodeForSession(code!)).error).toBeNull()
  })

  test('tells when consent was denied', async () => {
    const { status, location } = await signIn(auth.client(), 'nobody')
    expect(status).toBe(302)
    expect(location.searchParams.get('keep')).toBe('1')
    expectRefused(location, 'access_denied', undefined, 'They said no')
  })

  test('takes a provider’s answer by POST too', async () => {
    const subject = person()
    const callback = await leave(auth.client(), subject)
    const response = await fetch(`${auth.url}/callback`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: callback.searchParams,
    })
    expect(response.status).toBe(302)
    expect(fragment(new URL(response.headers.get('location')!))['access_token']).toBeTruthy()
  })

  test('never leads to a place that is not allowed', async () => {
    const subject = person()
    const { data } = await auth.client().signInWithOAuth({
      provider: 'oidc' as 'google',
      options: {
        skipBrowserRedirect: true,
        redirectTo: 'https://evil.example/steal',
        queryParams: { login_hint: subject },
      },
    })
    const { location } = await arrive(await browse(data.url!))
    expect(location.origin).toBe(siteUrl)
  })
})

describe('a state', () => {
  test.each([
    ['nothing', undefined, 'invalid_request', 'bad_oauth_callback', 'OAuth state parameter missing'],
    [
      'one that nobody made',
      newId(),
      'invalid_request',
      'bad_oauth_state',
      'OAuth state not found or expired',
    ],
    ['nonsense', 'nonsense', 'invalid_request', 'bad_oauth_state', 'OAuth state not found or expired'],
  ])('that is %s is refused', async (_, state, error, code, description) => {
    const url = new URL(`${auth.url}/callback?code=x`)
    if (state) url.searchParams.set('state', state)
    const { status, location } = await arrive(url)
    expect(status).toBe(302)
    expectRefused(location, error, code, description)
  })

  test('works once, whatever came of it', async () => {
    const subject = person()
    const callback = await leave(auth.client(), subject)
    expect(fragment((await arrive(callback)).location)['access_token']).toBeTruthy()
    expectRefused((await arrive(callback)).location, 'invalid_request', 'flow_state_already_used')

    const denied = await leave(auth.client(), 'nobody')
    await arrive(denied)
    expectRefused((await arrive(denied)).location, 'invalid_request', 'flow_state_already_used')
  })

  test('is worth nothing once it has expired', async () => {
    const callback = await leave(auth.client(), person())
    await sql`update auth_flow set expires_at = now() - interval '1 second' where used_at is null`.execute(
      auth.database.kysely,
    )
    expectRefused(
      (await arrive(callback)).location,
      'invalid_request',
      'bad_oauth_state',
      'OAuth state has expired',
    )
  })

  test('of another visit does not go with this code', async () => {
    const mine = await leave(auth.client(), person())
    const theirs = await leave(auth.client(), person())
    mine.searchParams.set('code', theirs.searchParams.get('code')!)
    expectRefused((await arrive(mine)).location, 'server_error', 'unexpected_failure')
  })

  test('without a code is refused', async () => {
    const callback = await leave(auth.client(), person())
    callback.searchParams.delete('code')
    expectRefused((await arrive(callback)).location, 'invalid_request', 'bad_oauth_callback')
  })
})

describe('an account with the same address', () => {
  test('is the account, when provider and account have both proved it', async () => {
    const { email, id, password } = await auth.signedIn()
    const { location } = await signIn(auth.client(), person({ email: email.toUpperCase() }))
    const answer = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(answer.body).toMatchObject({
      id,
      app_metadata: { provider: 'email', providers: ['email', 'oidc'] },
      identities: [{ provider: 'email' }, { provider: 'oidc' }],
    })
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('that never proved it is taken over empty: password, identity and names of whoever opened it are gone', async () => {
    const email = newEmail()
    const password = 'planted by somebody'
    const { data } = await auth
      .client()
      .signUp({ email, password, options: { data: { first_name: 'Mallory', evil: true } } })
    const [planted] = await auth.linksTo(email)
    const { location } = await signIn(auth.client(), person({ email, given_name: 'Grace' }))
    const answer = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(answer.body).toMatchObject({
      id: data.user!.id,
      email_confirmed_at: expect.any(String) as string,
      app_metadata: { provider: 'oidc', providers: ['oidc'] },
      identities: [{ provider: 'oidc' }],
    })
    expect(answer.body['user_metadata']).not.toHaveProperty('evil')
    expect((await auth.client().signInWithPassword({ email, password })).error).toMatchObject({
      code: 'invalid_credentials',
    })
    expectFragment((await auth.follow(planted!)).location, 'otp_expired')
    const { rows } = await sql`select first_name from profiles where user_id = ${data.user!.id}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([{ first_name: 'Grace' }])
  })

  test('is not reached by an address that the provider has not verified', async () => {
    const { email, id } = await auth.signedIn()
    const subject = person({ email, email_verified: false })
    const { location } = await signIn(auth.client(), subject)
    expectRefused(
      location,
      'access_denied',
      'provider_email_needs_verification',
      'Unverified email with oidc. A confirmation email has been sent to your oidc email',
    )
    expect(await usersOf(email)).toEqual([{ id }])
    expect(await auth.mailTo(email)).toHaveLength(1)
    const { rows } = await sql`select 1 from auth_identity where provider_id = ${subject}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([])
  })

  test('is not reached while it is banned', async () => {
    const { email, id } = await auth.signedIn()
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${id}`.execute(
      auth.database.kysely,
    )
    const { location } = await signIn(auth.client(), person({ email }))
    expectRefused(location, 'access_denied', 'user_banned', 'User is banned')
  })
})

const expectFragment = (location: URL, code: string) =>
  expect(fragment(location)).toMatchObject({ error_code: code })

describe('an address that the provider has not verified', () => {
  test('is mailed to, and opens the account once it is confirmed', async () => {
    const subject = person({ email_verified: false })
    const email = emailOf(subject)
    const { location } = await signIn(auth.client(), subject)
    expectRefused(
      location,
      'access_denied',
      'provider_email_needs_verification',
      'Unverified email with oidc. A confirmation email has been sent to your oidc email',
    )
    const [link] = await auth.linksTo(email)
    expect(fragment((await auth.follow(link!)).location)['access_token']).toBeTruthy()
    expect(fragment((await signIn(auth.client(), subject)).location)['access_token']).toBeTruthy()
  })

  test('becomes a known one once the provider verifies it', async () => {
    const subject = person({ email_verified: false })
    await signIn(auth.client(), subject)
    oidc.people.set(subject, { ...oidc.people.get(subject), email_verified: true })
    expect(fragment((await signIn(auth.client(), subject)).location)['access_token']).toBeTruthy()
    expect(await usersOf(emailOf(subject))).toHaveLength(1)
  })

  test('is mailed to once a minute, and who asks does not learn whether somebody has it', async () => {
    const taken = (await auth.signedIn()).email
    const answers = []
    for (const email of [taken, newEmail()]) {
      const subject = person({ email, email_verified: false })
      const first = (await signIn(auth.client(), subject)).location
      const second = (await signIn(auth.client(), subject)).location
      const third = (await signIn(auth.client(), person({ email, email_verified: false }))).location
      // The seconds left are the clock's.
      answers.push(
        [first, second, third].map(url => fragment(new URL(url.href.replaceAll(/after\+\d+/g, 'after')))),
      )
    }
    expect(answers[0]!.map(each => each['error_code'])).toEqual([
      'provider_email_needs_verification',
      'over_email_send_rate_limit',
      'over_email_send_rate_limit',
    ])
    expect(answers[0]).toEqual(answers[1])
  })

  test('that is missing altogether opens no account', async () => {
    const subject = newId()
    oidc.people.set(subject, { name: 'Nobody' })
    expectRefused(
      (await signIn(auth.client(), subject)).location,
      'server_error',
      'email_address_not_provided',
    )
  })
})

test('nobody new comes in while sign-up is off, and who is known still does', async () => {
  const subject = person()
  await signIn(auth.client(), subject)
  await using closed = await createTestAuth(
    { signUp: false, providers: { ...noProviders, oidc: oidc.client } },
    auth.database,
  )
  const { location } = await signIn(closed.client(), person(), { service: closed })
  expectRefused(location, 'access_denied', 'signup_disabled', 'Signups not allowed for this instance')
  const known = await signIn(closed.client(), subject, { service: closed })
  expect(fragment(known.location)['access_token']).toBeTruthy()
})

test('an invitation is accepted through a provider that knows the invited address, and no other', async () => {
  const email = newEmail()
  await using service = await createTestAuth(
    {
      providers: {
        ...noProviders,
        oidc: oidc.client,
        serviceKeyHash: createHash('sha256').update('key').digest(),
      },
    },
    auth.database,
  )
  await service.call('POST', '/invite', { token: 'key', body: { email } })
  const token = (await service.linksTo(email))[0]!.searchParams.get('token')!
  const go = async (subject: string) => {
    const asked = new URLSearchParams({ provider: 'oidc', login_hint: subject, invite_token: token })
    return (await service.follow(await browse(`${service.url}/authorize?${asked}`))).location
  }
  expectRefused(
    await go(person()),
    'invalid_request',
    'validation_failed',
    'Invited email does not match emails from external provider',
  )
  expect(fragment(await go(person({ email })))['access_token']).toBeTruthy()
  const again = await service.call('GET', `/authorize?provider=oidc&invite_token=${token}`, {
    headers: apiVersion,
  })
  expect(again).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
})

test('somebody with a phone alone adds a provider, gets its address, and signs in through it', async () => {
  const { id, client } = await auth.signedIn()
  await sql`
    update auth_user set email = null, email_confirmed_at = null, phone = '15550100999', phone_confirmed_at = now()
    where id = ${id}`.execute(auth.database.kysely)
  const [taken, subject] = [person({ email: (await auth.signedIn()).email }), person()]
  for (const each of [taken, subject]) {
    const { data } = await client.linkIdentity({
      provider: 'oidc' as 'google',
      options: { skipBrowserRedirect: true, queryParams: { login_hint: each } },
    })
    await arrive(await browse(data.url!))
    expect(await usersOf(emailOf(each))).toHaveLength(1)
  }
  for (const each of [taken, subject]) {
    const { location } = await signIn(auth.client(), each)
    const { body } = await auth.call('GET', '/user', { token: fragment(location)['access_token'] })
    expect(body).toMatchObject({ id, email: emailOf(subject) })
  }
})

test('each IP may leave for providers and connections so often', async () => {
  const tight = { burst: 2, perSecond: 0.001 }
  const { buckets } = defaultSettings({ loopback: true })
  await using limited = await createTestAuth(
    {
      providers: { ...noProviders, oidc: oidc.client, samlKey: 'generate' },
      buckets: { ...buckets, authorize: tight, sso: tight, saml_acs: tight },
    },
    auth.database,
  )
  for (const [method, path] of [
    ['GET', '/authorize?provider=oidc'],
    ['POST', '/sso'],
    ['POST', '/sso/saml/acs'],
  ] as const) {
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await limited.call(method, path, { body: undefined })).status)
    expect(statuses.indexOf(429)).toBe(2)
  }
})

test('settings tell which providers are on, and what their buttons say', async () => {
  expect((await auth.call('GET', '/settings')).body).toMatchObject({
    external: { oidc: true, github: false, google: false },
    external_names: { oidc: 'Acme Login' },
    saml_enabled: false,
  })
})
