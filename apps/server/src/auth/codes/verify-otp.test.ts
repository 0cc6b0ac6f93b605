import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiVersion, createTestAuth, newEmail, siteUrl, type TestAuth } from '../testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'
const sha224 = (text: string) => createHash('sha224').update(text).digest('hex')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function signedUp(flowType: 'implicit' | 'pkce' = 'implicit') {
  const email = newEmail()
  const client = auth.client({ flowType })
  await client.signUp({ email, password, options: { emailRedirectTo: `${siteUrl}/console?tab=1` } })
  const link = (await auth.linksTo(email))[0]!
  return { email, client, link, token: link.searchParams.get('token')! }
}
/** Mails carry the link alone, so the code that was made is replaced by a known one. */
const setCode = (email: string, code: string) =>
  sql`update auth_otp set token_hash = ${sha256(sha224(email + code))}
    where user_id = (select id from auth_user where email = ${email})`.execute(auth.database.kysely)
const expire = (email: string) =>
  sql`update auth_otp set expires_at = now() - interval '1 second'
    where user_id = (select id from auth_user where email = ${email})`.execute(auth.database.kysely)

const expiredFragment =
  '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb='

describe('a mailed link', () => {
  test('works once; used, expired and unknown ones send the browser on with the same error', async () => {
    const { link, email } = await signedUp()
    expect((await auth.follow(link)).location.hash).toContain('access_token=')
    const used = await auth.follow(link)
    expect(used.status).toBe(303)
    expect(used.location.href).toBe(`${siteUrl}/console?tab=1${expiredFragment}`)
    const other = await signedUp()
    await expire(other.email)
    expect((await auth.follow(other.link)).location.hash).toBe(expiredFragment)
    const unknown = new URL(link)
    unknown.searchParams.set('token', sha224('anything'))
    expect((await auth.follow(unknown)).location.hash).toBe(expiredFragment)
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('is used by one of many requests at once', async () => {
    const { link } = await signedUp()
    const all = await Promise.all(Array.from({ length: 10 }, () => auth.follow(link)))
    expect(all.filter(each => each.location.hash.includes('access_token='))).toHaveLength(1)
  })

  test('survives a link checker that only asks for its head', async () => {
    const { link } = await signedUp()
    const head = await auth.call('HEAD', `/verify${link.search}`)
    expect(head.status).toBe(204)
    expect((await auth.follow(link)).location.hash).toContain('access_token=')
  })

  test('cannot be made from what the database holds', async () => {
    const { email, token } = await signedUp()
    const { rows } = await sql<{ token_hash: string }>`
      select token_hash from auth_otp o join auth_user u on u.id = o.user_id where email = ${email}`.execute(
      auth.database.kysely,
    )
    expect(rows[0]!.token_hash).toBe(sha256(token))
    const answer = await auth.call('GET', `/verify?type=signup&token=${rows[0]!.token_hash}`)
    expect(answer.headers.get('location')).toContain('otp_expired')
  })

  test('of a banned user does not sign in', async () => {
    const { link, email } = await signedUp()
    await sql`update auth_user set banned_until = now() + interval '1 hour' where email = ${email}`.execute(
      auth.database.kysely,
    )
    expect((await auth.follow(link)).location.hash).toContain('error_code=user_banned')
  })

  test.each([
    ['', 'Verify requires a verification type'],
    ['?token=abc', 'Verify requires a verification type'],
    ['?type=signup', 'Verify requires a token or a token hash'],
  ])('without its parts is answered as JSON: GET /verify%s', async (query, message) => {
    const answer = await auth.call('GET', `/verify${query}`, { headers: apiVersion })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test('of a type that does not exist sends the browser on with invalid_request', async () => {
    const { location } = await auth.follow(new URL(`${auth.url}/verify?type=sms&token=abc`))
    expect(location.hash).toContain('error=invalid_request&error_code=validation_failed')
  })
})

describe('a code', () => {
  test('that is typed with the address signs in, as signup and as email', async () => {
    for (const type of ['signup', 'email'] as const) {
      const { email, client } = await signedUp()
      await setCode(email, '1234567890')
      const { data, error } = await client.verifyOtp({
        email: email.toUpperCase(),
        token: '1234567890',
        type,
      })
      expect(error).toBeNull()
      expect(data.session!.user.email_confirmed_at).toBeTruthy()
      const { data: claims } = await client.getClaims()
      expect(claims!.claims.amr).toEqual([{ method: 'otp', timestamp: expect.any(Number) as number }])
    }
  })

  test('and the hash of a link are the same thing', async () => {
    const { client, token } = await signedUp()
    const { data, error } = await client.verifyOtp({ token_hash: token, type: 'signup' })
    expect(error).toBeNull()
    expect(data.session).toBeTruthy()
  })

  test('is refused alike when wrong, expired, used, or for an unknown address', async () => {
    const { email, client } = await signedUp()
    await setCode(email, '1234567890')
    const tries = [
      { email, token: '0000000000' },
      { email: newEmail(), token: '1234567890' },
      { email, token: 'x'.repeat(256) },
    ]
    for (const each of tries) {
      const { error } = await client.verifyOtp({ ...each, type: 'signup' })
      expect(error).toMatchObject({
        status: 403,
        code: 'otp_expired',
        message: 'Token has expired or is invalid',
      })
    }
    await expire(email)
    const { error } = await client.verifyOtp({ email, token: '1234567890', type: 'signup' })
    expect(error!.code).toBe('otp_expired')
  })

  test('is worth nothing after ten wrong guesses; its link, which nobody can guess, still works', async () => {
    const { email, client } = await signedUp()
    await setCode(email, '1234567890')
    for (let i = 0; i < 10; i++) await client.verifyOtp({ email, token: `${i}`, type: 'signup' })
    expect((await client.verifyOtp({ email, token: '1234567890', type: 'signup' })).error!.code).toBe(
      'otp_expired',
    )
    const hash = sha224(`${email}1234567890`)
    expect((await client.verifyOtp({ token_hash: hash, type: 'signup' })).error).toBeNull()
  })

  test.each([
    [{}, 400, 'Verify requires a verification type'],
    [{ type: 'signup' }, 400, 'Verify requires either a token or a token hash'],
    [{ type: 'signup', token: 'a', token_hash: 'b' }, 400, 'Verify requires either a token or a token hash'],
    [
      { type: 'signup', token_hash: 'b', email: 'a@b.c' },
      400,
      'Only the token_hash and type should be provided',
    ],
    [
      { type: 'signup', token_hash: 'b', redirect_to: siteUrl },
      400,
      'Only the token_hash and type should be provided',
    ],
    [
      { type: 'signup', token: 'a' },
      400,
      'Only an email address or phone number should be provided on verify',
    ],
    [
      { type: 'signup', token: 'a', email: 'a@b.c', phone: '+4912345' },
      400,
      'Only an email address or phone number should be provided on verify',
    ],
    [{ type: 'signup', token: 'a', email: 'nonsense' }, 422, 'Invalid email format'],
    [{ type: 'sms', token: 'a', phone: 'x' }, 400, 'Invalid phone number format (E.164 required)'],
    [{ type: 'constructor', token: 'a', email: 'a@b.c' }, 400, 'Invalid email verification type'],
  ])('POST /verify refuses %j', async (body, status, message) => {
    const answer = await auth.call('POST', '/verify', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status, body: { code: 'validation_failed', message } })
  })
})

describe('a link asked for with a challenge (PKCE)', () => {
  test('leads to a code that only the browser which asked can exchange, once', async () => {
    const { link, token, client } = await signedUp('pkce')
    expect(token).toMatch(/^pkce_[0-9a-f]{56}$/)
    const { location } = await auth.follow(link)
    expect(location.hash).toBe('')
    expect(location.searchParams.get('tab')).toBe('1')
    const code = location.searchParams.get('code')!
    const stranger = await auth.call('POST', '/token?grant_type=pkce', {
      headers: apiVersion,
      body: { auth_code: code, code_verifier: 'x'.repeat(60) },
    })
    expect(stranger).toMatchObject({
      status: 400,
      body: {
        code: 'bad_code_verifier',
        message: 'code challenge does not match previously saved code verifier',
      },
    })
    const { data, error } = await client.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.session!.user.email_confirmed_at).toBeTruthy()
    const { data: claims } = await client.getClaims()
    expect(claims!.claims.amr).toMatchObject([{ method: 'email/signup' }])
    const again = await auth.call('POST', '/token?grant_type=pkce', {
      headers: apiVersion,
      body: { auth_code: code, code_verifier: 'x'.repeat(60) },
    })
    expect(again).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } })
  })

  test('that was used puts its error into query and fragment', async () => {
    const { link } = await signedUp('pkce')
    await auth.follow(link)
    const { location } = await auth.follow(link)
    expect(location.searchParams.get('tab')).toBe('1')
    expect(location.searchParams.get('error_code')).toBe('otp_expired')
    expect(location.hash).toBe(expiredFragment)
  })

  test('leads to a code that is too late after five minutes', async () => {
    const { link, client } = await signedUp('pkce')
    const code = (await auth.follow(link)).location.searchParams.get('code')!
    await sql`update auth_code set expires_at = now() - interval '1 second'`.execute(auth.database.kysely)
    const { error } = await client.exchangeCodeForSession(code)
    expect(error).toMatchObject({ status: 422, code: 'flow_state_expired' })
  })

  test.each([
    [{ code_challenge: 'x'.repeat(43) }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [{ code_challenge_method: 's256' }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      { code_challenge: 'x', code_challenge_method: 's256' },
      'code challenge has to be between 43 and 128 characters',
    ],
    [
      { code_challenge: `${'x'.repeat(43)}!`, code_challenge_method: 'S256' },
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    ],
    [
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'md5' },
      'code_challenge_method must be s256 or plain',
    ],
  ])('is refused with %j', async (challenge, message) => {
    const body = { email: newEmail(), password, ...challenge }
    const answer = await auth.call('POST', '/signup', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test.each([{}, { auth_code: 'x' }, { code_verifier: 'x' }])('the exchange refuses %j', async body => {
    const answer = await auth.call('POST', '/token?grant_type=pkce', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })
})
