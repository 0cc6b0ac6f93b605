import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  apiVersion,
  createTestAuth,
  newEmail,
  type SignedInClient,
  siteUrl,
  type TestAuth,
} from './testing/auth-server.ts'

let auth: TestAuth
let user: SignedInClient
beforeAll(async () => {
  auth = await createTestAuth()
  user = await auth.signedIn()
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'

describe('a body', () => {
  test.each(['', '{', '[]', '"text"', '7', '{"email":'])(
    'that is not a JSON object is refused: %s',
    async raw => {
      const answer = await auth.call('POST', '/signup', { headers: apiVersion, raw })
      expect(answer).toMatchObject({ status: 400, body: { code: 'bad_json' } })
    },
  )

  test.each([
    { email: 7, password },
    { email: ['a@b.c'], password },
    { email: newEmail(), password: true },
    { email: newEmail(), password, data: 'text' },
    { email: newEmail(), password, data: [1] },
  ])('with a value of another type is refused: %j', async body => {
    const answer = await auth.call('POST', '/signup', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_json' } })
  })

  test('is read with unknown fields, nulls and any content type', async () => {
    const body = {
      email: newEmail(),
      password,
      phone: null,
      data: null,
      code_challenge: null,
      code_challenge_method: null,
      gotrue_meta_security: {},
      options: { anything: [1] },
      __proto__: 'x',
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const answer = await auth.call('POST', '/signup', {
        headers: { 'content-type': type },
        body: { ...body, email: newEmail() },
      })
      expect(answer.status).toBe(200)
    }
    const nothing = await auth.call('POST', '/signup', { headers: apiVersion, raw: 'null' })
    expect(nothing).toMatchObject({ status: 422, body: { code: 'anonymous_provider_disabled' } })
  })

  test('over 1 MiB is refused', async () => {
    const raw = JSON.stringify({ email: 'a@b.c', password, data: { a: 'x'.repeat(1024 * 1024) } })
    const answer = await auth.call('POST', '/signup', { headers: apiVersion, raw })
    expect(answer).toMatchObject({ status: 413, body: { code: 'request_entity_too_large' } })
  })
})

describe('every input has a longest length', () => {
  const long = 'x'.repeat(20_000)
  const email = 'a@b.c'

  test.each([
    ['/signup', { email: `${long}@example.com`, password }],
    ['/signup', { email: `${'x'.repeat(250)}@example.com`, password }, 'An email address is too long'],
    ['/signup', { phone: long, password }],
    ['/signup', { email, password: long }],
    ['/signup', { email, password: 'x'.repeat(73) }, 'Password cannot be longer than 72 characters'],
    ['/signup', { email, password, data: { a: long } }, 'data is too large (at most 4096 bytes)'],
    ['/signup', { email, password, code_challenge: long, code_challenge_method: 's256' }],
    ['/signup', { email, password, code_challenge: 'x'.repeat(43), code_challenge_method: long }],
    ['/token?grant_type=password', { email: long, password }],
    ['/token?grant_type=password', { email, password: long }],
    ['/token?grant_type=refresh_token', { refresh_token: long }],
    ['/token?grant_type=pkce', { auth_code: long, code_verifier: 'x' }],
    ['/token?grant_type=pkce', { auth_code: 'x', code_verifier: long }],
    ['/token?grant_type=id_token', { provider: long }],
    ['/verify', { type: long, token_hash: 'x' }],
    ['/verify', { type: 'signup', token_hash: long }],
    ['/verify', { type: 'signup', token: long, email }],
    ['/verify', { type: 'signup', token: 'x', email: long }],
    ['/resend', { type: long, email }],
    ['/resend', { type: 'signup', email: long }],
  ])('POST %s %j', async (path, body, message = undefined) => {
    const answer = await auth.call('POST', path, { headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(answer.body['message']).toMatch(message ?? /too long/)
  })

  test.each([
    { email: long },
    { phone: long },
    { password: long },
    { current_password: long },
    { data: { a: long } },
  ])('PUT /user %j', async body => {
    const answer = await auth.call('PUT', '/user', { token: user.token, headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  test('also in queries and headers, where too long is the same as wrong', async () => {
    const { token } = user
    const scope = await auth.call('POST', `/logout?scope=${'x'.repeat(5000)}`, { token, headers: apiVersion })
    expect(scope.status).toBe(400)
    expect(String(scope.body['message']).length).toBeLessThan(100)
    const grant = await auth.call('POST', `/token?grant_type=${'x'.repeat(5000)}`, {
      headers: apiVersion,
      body: {},
    })
    expect(grant.body).toMatchObject({ message: 'unsupported_grant_type' })
    const link = await auth.call('GET', `/verify?type=${'x'.repeat(5000)}&token=${'x'.repeat(5000)}`)
    expect(link.headers.get('location')!.length).toBeLessThan(500)
    const email = newEmail()
    await auth.call('POST', `/signup?redirect_to=${siteUrl}/${'x'.repeat(5000)}`, {
      body: { email, password },
      headers: { 'user-agent': 'x'.repeat(5000) },
    })
    expect((await auth.linksTo(email))[0]!.searchParams.get('redirect_to')).toBe(siteUrl)
  })

  test.each(['\u0000', 'a\ud800b', '\udc00'])('what cannot be stored is refused: %j', async text => {
    for (const data of [{ a: text }, { [text]: 1 }, { a: [{ b: text }] }]) {
      const body = { email: newEmail(), password, data }
      const answer = await auth.call('POST', '/signup', { headers: apiVersion, body })
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
    const address = await auth.call('POST', '/signup', {
      headers: apiVersion,
      body: { email: `${text}a@b.c`, password },
    })
    expect(address.status).toBe(400)
  })

  test('what only looks like it is stored as it is', async () => {
    const data = { a: '\\u0000 \\ud800', b: '😀', ['__proto__']: 'own' }
    const answer = await auth.call('POST', '/signup', { body: { email: newEmail(), password, data } })
    expect(answer).toMatchObject({ status: 200, body: { user_metadata: { a: '\\u0000 \\ud800', b: '😀' } } })
  })
})

test.each([
  ['', 'An email address'],
  ['nonsense', 'Unable to validate email address: invalid format'],
  ['a@b@c', 'Unable to validate email address: invalid format'],
  ['a b@c.de', 'Unable to validate email address: invalid format'],
  ['a@b.c\nbcc: d@e.f', 'Unable to validate email address: invalid format'],
  ['<a@b.c>', 'Unable to validate email address: invalid format'],
  ['ä@b.c', 'Unable to validate email address: invalid format'],
])('the address %j is refused', async (email, message) => {
  const body = { email, phone: '', password }
  const answer = await auth.call('POST', '/signup', { headers: apiVersion, body })
  if (email === '')
    expect(answer).toMatchObject({ status: 422, body: { code: 'anonymous_provider_disabled' } })
  else expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
})
