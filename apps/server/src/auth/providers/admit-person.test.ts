import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import { apiVersion, createTestAuth, fragment, newEmail } from '../testing/auth-server.ts'
import { expectRefused, useTestOauth } from '../testing/oauth.ts'
import { browse } from '../testing/oidc-provider.ts'

const { auth, oidc, person, emailOf, arrive, signIn, usersOf } = useTestOauth()

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
    oidc().people.set(subject, { ...oidc().people.get(subject), email_verified: true })
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
    oidc().people.set(subject, { name: 'Nobody' })
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
    { signUp: false, providers: { ...noProviders, oidc: oidc().client } },
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
        oidc: oidc().client,
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
