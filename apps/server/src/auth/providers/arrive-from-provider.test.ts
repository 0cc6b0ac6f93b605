import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { fragment, newEmail, siteUrl } from '../testing/auth-server.ts'
import { expectRefused, leave, page, query, useTestOauth } from '../testing/oauth.ts'
import { browse } from '../testing/oidc-provider.ts'

const { auth, oidc, person, emailOf, arrive, signIn, usersOf } = useTestOauth()

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
        iss: oidc().client.issuer,
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
    oidc().people.set(subject, { ...oidc().people.get(subject), email: newEmail(), name: 'Rear Admiral' })
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
