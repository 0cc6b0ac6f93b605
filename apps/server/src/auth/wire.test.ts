import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { toAuthError } from './errors.ts'
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

describe('an error', () => {
  test('is told by code since API version 2024-01-01, and the response says so', async () => {
    for (const version of ['2024-01-01', '2025-06-30', '2999-12-31']) {
      const answer = await auth.call('GET', '/user', { headers: { 'x-supabase-api-version': version } })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01')
      expect(answer.headers.get('x-sb-error-code')).toBe('no_authorization')
      expect(answer.body).toEqual({
        code: 'no_authorization',
        message: 'This endpoint requires a valid Bearer token',
      })
    }
  })

  test('is told by status before, or when the version is none', async () => {
    for (const version of ['', '2023-12-31', 'nonsense', '2024-1-1']) {
      const answer = await auth.call('GET', '/user', { headers: { 'x-supabase-api-version': version } })
      expect(answer.headers.get('x-supabase-api-version')).toBeNull()
      expect(answer.body).toEqual({
        code: 401,
        error_code: 'no_authorization',
        msg: 'This endpoint requires a valid Bearer token',
      })
    }
  })

  test('about a weak password carries the reasons in both shapes', async () => {
    const body = { email: newEmail(), password: 'short' }
    const both = [
      await auth.call('POST', '/signup', { body }),
      await auth.call('POST', '/signup', { body, headers: apiVersion }),
    ]
    for (const answer of both)
      expect(answer).toMatchObject({ status: 422, body: { weak_password: { reasons: ['length'] } } })
    const { error } = await auth.client().signUp(body)
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      reasons: ['length'],
      message: 'Password should be at least 6 characters.',
    })
  })

  test('of ours is a 5xx with nothing of its cause, and clients keep their session', async () => {
    await using broken = await createTestAuth()
    const { client, token } = await broken.signedIn()
    await broken.database.owner.pool.query('alter table auth_session rename to auth_session_gone')
    const answer = await broken.call('GET', '/user', { token })
    expect(answer).toMatchObject({ status: 500, body: { code: 500, error_code: 'unexpected_failure' } })
    expect(answer.body['error_id']).toBeTruthy()
    expect(JSON.stringify(answer.body)).not.toContain('auth_session')
    expect((await client.getUser()).error!.name).toBe('AuthRetryableFetchError')
    expect((await client.getSession()).data.session).toBeTruthy()
  })

  test('about time is a 504, which clients try again', () => {
    const error = toAuthError({ code: 'FST_ERR_HANDLER_TIMEOUT', statusCode: 503 })
    expect(error).toMatchObject({ status: 504, code: 'request_timeout' })
  })

  test('answers calls that do not exist', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['DELETE', '/signup'],
    ] as const) {
      const answer = await auth.call(method, path, { headers: apiVersion })
      expect(answer).toMatchObject({ status: 404, body: { code: 'unknown' } })
    }
  })
})

test.each([
  [
    { password, email: 'a@b.c', phone: '+4912345' },
    'Only an email address or phone number should be provided on signup.',
  ],
  [{ email: 'a@b.c' }, 'Signup requires a valid password'],
  [{ phone: 'x', password }, 'Invalid phone number format (E.164 required)'],
  [{ phone: '+4912345', password }, 'Phone signups are disabled'],
  [
    { phone: '+4912345', password, code_challenge: 'x'.repeat(43), code_challenge_method: 's256' },
    'PKCE not supported for phone signups',
  ],
])('POST /signup refuses %j', async (body, message) => {
  const answer = await auth.call('POST', '/signup', { headers: apiVersion, body })
  expect(answer).toMatchObject({ status: 400, body: { message } })
})

/** Where the link of a sign-up leads. */
async function target(query: string, headers: Record<string, string>) {
  const email = newEmail()
  await auth.call('POST', `/signup${query}`, { headers, body: { email, password } })
  return (await auth.linksTo(email))[0]!.searchParams.get('redirect_to')
}

test('a link leads where the header says before the query, else the page it was asked from, else the site', async () => {
  const evil = 'https://evil.example'
  const inQuery = `?redirect_to=${siteUrl}/query`
  expect(await target(inQuery, { redirect_to: `${siteUrl}/header` })).toBe(`${siteUrl}/header`)
  expect(await target(inQuery, {})).toBe(`${siteUrl}/query`)
  expect(await target(`?redirect_to=${evil}`, { referer: `${siteUrl}/page` })).toBe(`${siteUrl}/page`)
  expect(await target(`?redirect_to=${evil}`, { referer: evil })).toBe(siteUrl)
  expect(await target(`?redirect_to=${encodeURIComponent(`${siteUrl}/?a=1&b=2`)}`, {})).toBe(
    `${siteUrl}/?a=1&b=2`,
  )
})

describe('what is not offered', () => {
  test.each([
    ['POST', '/sso', 404, 'saml_provider_disabled', false],
    ['GET', '/sso/saml/metadata', 404, 'saml_provider_disabled', false],
    ['POST', '/sso/saml/acs', 404, 'saml_provider_disabled', false],
    ['GET', '/authorize?provider=google', 400, 'validation_failed', false],
    ['GET', '/user/identities/authorize?provider=google', 400, 'validation_failed', true],
    ['DELETE', `/user/identities/${newId()}`, 422, 'single_identity_not_deletable', true],
    ['POST', '/factors', 422, 'mfa_phone_enroll_not_enabled', true],
    ['POST', `/factors/${newId()}/challenge`, 404, 'mfa_factor_not_found', true],
    ['POST', `/factors/${newId()}/verify`, 404, 'mfa_factor_not_found', true],
    ['DELETE', `/factors/${newId()}`, 404, 'mfa_factor_not_found', true],
    ['DELETE', '/factors/x', 404, 'validation_failed', true],
    ['GET', '/admin/users', 403, 'not_admin', true],
    ['POST', '/invite', 403, 'not_admin', true],
  ] as const)('%s %s says who may not before what is off', async (method, path, status, code, signedIn) => {
    const body = method === 'GET' ? undefined : { factor_type: 'phone' }
    const stranger = await auth.call(method, path, { headers: apiVersion, body })
    expect(stranger).toMatchObject(
      signedIn ? { status: 401, body: { code: 'no_authorization' } } : { status, body: { code } },
    )
    expect(await auth.call(method, path, { token: user.token, headers: apiVersion, body })).toMatchObject({
      status,
      body: { code },
    })
  })
})

test('another audience than the token’s is refused', async () => {
  const { token } = user
  const answer = await auth.call('GET', '/user', { token, headers: { ...apiVersion, 'x-jwt-aud': 'other' } })
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
})

test('browsers of other origins may call, and read the API version', async () => {
  const origin = 'https://app.example.com'
  const preflight = await auth.call('OPTIONS', '/token?grant_type=password', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'apikey, authorization, content-type, x-client-info, x-supabase-api-version',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE')
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/apikey/)
  const answer = await auth.call('GET', '/user', { headers: { origin } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-expose-headers')).toBe(
    'X-Total-Count, Link, X-Supabase-Api-Version',
  )
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('settings and health have the fields that clients read', async () => {
  expect((await auth.call('GET', '/settings')).body).toMatchObject({
    external: { email: true, phone: false, google: false },
    disable_signup: false,
    mailer_autoconfirm: false,
    saml_enabled: false,
  })
  expect((await auth.call('GET', '/health')).body).toMatchObject({
    name: 'GoTrue',
    version: (
      JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
        version: string
      }
    ).version,
  })
})
