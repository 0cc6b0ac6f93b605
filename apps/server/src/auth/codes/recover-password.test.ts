import { describe, expect, test } from 'vitest'
import {
  apiVersion,
  createTestAuth,
  fragment,
  newEmail,
  siteUrl,
  useTestAuth,
} from '../testing/auth-server.ts'

const auth = useTestAuth()
const post = (body: unknown) => auth.call('POST', '/recover', { headers: apiVersion, body })

describe('a forgotten password', () => {
  test('is replaced through the mailed link, which ends every other session', async () => {
    const { email, token, client: elsewhere } = await auth.signedIn()
    const client = auth.client()
    const { data, error } = await client.resetPasswordForEmail(email.toUpperCase(), {
      redirectTo: `${siteUrl}/forgot-password`,
    })
    expect({ data, error }).toEqual({ data: {}, error: null })
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toBe('Set a new password for Ingot')
    const [link] = await auth.linksTo(email)
    expect(link!.searchParams.get('type')).toBe('recovery')
    const { location } = await auth.follow(link!)
    expect(location.pathname).toBe('/forgot-password')
    const params = new URLSearchParams(location.hash.slice(1))
    expect(params.get('type')).toBe('recovery')
    await client.setSession({
      access_token: params.get('access_token')!,
      refresh_token: params.get('refresh_token')!,
    })
    expect((await client.updateUser({ password: 'battery staple' })).error).toBeNull()
    expect((await auth.call('GET', '/user', { token })).status).toBe(403)
    expect((await elsewhere.refreshSession()).error).not.toBeNull()
    expect((await auth.client().signInWithPassword({ email, password: 'battery staple' })).error).toBeNull()
  })

  test('needs no present one in a session from such a link, where the operator asks for it otherwise', async () => {
    await using strict = await createTestAuth({ requireCurrentPassword: true }, auth.database)
    const { email } = await strict.signedIn()
    const client = strict.client()
    await client.resetPasswordForEmail(email)
    const token_hash = (await strict.linksTo(email))[0]!.searchParams.get('token')!
    expect((await client.verifyOtp({ token_hash, type: 'recovery' })).error).toBeNull()
    expect((await client.updateUser({ password: 'battery staple' })).error).toBeNull()
  })

  test('with a challenge is a recovery to the browser that asked (PKCE)', async () => {
    const { email } = await auth.signedIn()
    const client = auth.client({ flowType: 'pkce' })
    const events: string[] = []
    client.onAuthStateChange(event => void events.push(event))
    await client.resetPasswordForEmail(email)
    const code = (await auth.follow((await auth.linksTo(email))[0]!)).location.searchParams.get('code')!
    expect((await client.exchangeCodeForSession(code)).error).toBeNull()
    expect((await client.getClaims()).data!.claims.amr).toMatchObject([{ method: 'recovery' }])
    expect(events).toContain('PASSWORD_RECOVERY')
  })

  test('leads to a page whose address holds letters beyond ASCII', async () => {
    const { email } = await auth.signedIn()
    await auth.client().resetPasswordForEmail(email, { redirectTo: `${siteUrl}/größe?q=日本` })
    const { status, location } = await auth.follow((await auth.linksTo(email))[0]!)
    expect(status).toBe(303)
    expect(location.pathname + location.search).toBe('/gr%C3%B6%C3%9Fe?q=%E6%97%A5%E6%9C%AC')
    expect(location.hash).toContain('access_token=')
  })

  test('can be set by who never confirmed the address: the link confirms it', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password: 'correct horse' })
    await auth.client().resetPasswordForEmail(email)
    const { location } = await auth.follow((await auth.linksTo(email))[0]!)
    const { access_token: token } = fragment(location)
    const body = { password: 'a new password' }
    expect((await auth.call('PUT', '/user', { token, body })).status).toBe(200)
    expect((await auth.client().signInWithPassword({ email, ...body })).error).toBeNull()
  })

  test('answers and waits alike for known, unknown and unconfirmed addresses; only an account gets mail', async () => {
    const known = await auth.signedIn()
    const waiting = newEmail()
    await auth.client().signUp({ email: waiting, password: 'correct horse' })
    const addresses = [known.email, waiting, newEmail()]
    const before = await Promise.all(addresses.map(async email => (await auth.mailTo(email)).length))
    const answers: unknown[] = []
    for (const email of addresses) {
      const first = await post({ email })
      const second = await post({ email })
      const shape = ({ status, body, headers }: typeof first) => ({
        status,
        body: JSON.stringify(body).replace(/after \d+/, 'after N'),
        headers: [...headers.keys()].toSorted(),
      })
      answers.push([shape(first), shape(second)])
    }
    expect(answers[0]).toMatchObject([
      { status: 200, body: '{}' },
      {
        status: 429,
        body: '{"code":"over_email_send_rate_limit","message":"For security purposes, you can only request this after N seconds."}',
      },
    ])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    const after = await Promise.all(addresses.map(async email => (await auth.mailTo(email)).length))
    expect(after.map((count, i) => count - before[i]!)).toEqual([1, 1, 0])
  })

  test('hides who has an account behind the limit of all mails, too', async () => {
    const known = await auth.signedIn()
    await using thrifty = await createTestAuth({ mails: { burst: 1, perSecond: 0.0001 } }, auth.database)
    const codes: unknown[] = []
    for (const email of [newEmail(), newEmail(), known.email]) {
      const answer = await thrifty.call('POST', '/recover', { headers: apiVersion, body: { email } })
      codes.push(answer.body['code'] ?? answer.status)
    }
    expect(codes).toEqual([200, 'over_email_send_rate_limit', 'over_email_send_rate_limit'])
  })

  test.each([
    [{}, 'Password recovery requires an email'],
    [{ email: 'nonsense' }, 'Unable to validate email address: invalid format'],
    [
      { email: 'a@b.c', code_challenge_method: 's256' },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('is refused: POST /recover %j', async (body, message) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })
})
