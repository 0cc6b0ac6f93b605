import { createHash } from 'node:crypto'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import { createTestAuth, newEmail, type TestAuth } from '../testing/auth-server.ts'
import { startOidc, type TestOidc } from '../testing/oidc-provider.ts'

let oidc: TestOidc
let auth: TestAuth
beforeAll(async () => {
  oidc = await startOidc()
  auth = await createTestAuth({
    providers: {
      ...noProviders,
      oidc: oidc.client,
      github: {
        clientId: 'x',
        clientSecret: 'x',
        url: 'https://github.com',
        apiUrl: 'https://api.github.com',
      },
    },
  })
})
afterAll(async () => {
  await auth[Symbol.asyncDispose]()
  await oidc[Symbol.asyncDispose]()
})

const provider = 'oidc' as 'google'
const claims = (more: Record<string, unknown> = {}) => ({
  sub: newId(),
  email: newEmail(),
  email_verified: true,
  name: 'Katherine Johnson',
  ...more,
})

test('an ID token of the provider signs in, and opens the account', async () => {
  const given = claims()
  const client = auth.client()
  const { data, error } = await client.signInWithIdToken({ provider, token: await oidc.idToken(given) })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email: given.email, app_metadata: { provider: 'oidc' } })
  const { data: verified } = await client.getClaims()
  expect(verified!.claims.amr).toMatchObject([{ method: 'oauth' }])
  const again = await auth.client().signInWithIdToken({ provider, token: await oidc.idToken(given) })
  expect(again.data.user!.id).toBe(data.user!.id)
})

test('a nonce is given to us as it is, and to the provider hashed', async () => {
  const nonce = 'a nonce of the app'
  const hashed = createHash('sha256').update(nonce).digest('hex')
  const sign = async (tokenNonce?: string, given?: string) => {
    const token = await oidc.idToken(claims(tokenNonce ? { nonce: tokenNonce } : {}))
    return (await auth.client().signInWithIdToken({ provider, token, nonce: given })).error
  }
  expect(await sign(hashed, nonce)).toBeNull()
  expect(await sign(hashed, 'another')).toMatchObject({ status: 400, message: 'Nonces mismatch' })
  expect(await sign(nonce, nonce)).toMatchObject({ message: 'Nonces mismatch' })
  for (const error of [await sign(hashed), await sign(undefined, nonce)])
    expect(error).toMatchObject({
      message: 'Passed nonce and nonce in id_token should either both exist or not.',
    })
})

test('an access token must be the one that the ID token names', async () => {
  const sign = async (accessToken: string) => {
    const hash = createHash('sha256').update('the right one').digest().subarray(0, 16).toString('base64url')
    const token = await oidc.idToken(claims({ at_hash: hash }))
    return (await auth.client().signInWithIdToken({ provider, token, access_token: accessToken })).error
  }
  expect(await sign('the right one')).toBeNull()
  expect(await sign('another')).toMatchObject({ message: 'Bad ID token' })
})

describe('is refused', () => {
  const post = (body: object) =>
    auth.call('POST', '/token?grant_type=id_token', {
      body,
      headers: { 'x-supabase-api-version': '2024-01-01' },
    })

  test('in OAuth’s own form', async () => {
    const answer = await post({ provider: 'oidc', id_token: 'nonsense' })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: 'invalid request', error_description: 'Bad ID token' })
    expect(answer.headers.get('x-sb-error-code')).toBeNull()
  })

  test.each([
    ['no token', { provider: 'oidc' }, 'id_token required'],
    ['no provider', { id_token: 'x' }, 'provider required'],
  ])('%s', async (_, body, description) => {
    expect((await post(body)).body).toEqual({ error: 'invalid request', error_description: description })
  })

  test.each(['google', 'github', 'nobody'])('a provider without ID tokens here: %s', async name => {
    const answer = await post({ provider: name, id_token: await oidc.idToken(claims()) })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'provider_disabled', message: `Provider (issuer "${name}") is not enabled` },
    })
  })

  test('a token for another client', async () => {
    const answer = await post({ provider: 'oidc', id_token: await oidc.idToken(claims({ aud: 'another' })) })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'invalid request', error_description: 'Unacceptable audience in id_token' },
    })
  })

  test('a token that another key signed, of another issuer, expired, or unsigned', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(Date.now() / 1000)
    const unsigned = `${encode({ alg: 'none' })}.${encode({ ...claims(), iss: oidc.client.issuer, aud: 'ingot', exp: now + 60 })}.`
    for (const id_token of [
      await oidc.idToken(claims(), { key: privateKey }),
      await oidc.idToken(claims({ iss: 'https://evil.example' })),
      await oidc.idToken(claims({ exp: now - 60 })),
      unsigned,
    ])
      expect((await post({ provider: 'oidc', id_token })).body).toMatchObject({
        error_description: 'Bad ID token',
      })
  })

  test('an address that only lower-casing would make somebody’s', async () => {
    const victim = await auth.signedIn(`k${newEmail()}`)
    const given = claims({ email: victim.email.replace('k', '\u212A') })
    const answer = await post({ provider: 'oidc', id_token: await oidc.idToken(given) })
    expect(answer).toMatchObject({ status: 422, body: { code: 'email_address_not_provided' } })
  })

  test('an address that is not verified, once it is mailed to', async () => {
    const given = claims({ email_verified: false })
    const answer = await post({ provider: 'oidc', id_token: await oidc.idToken(given) })
    expect(answer).toMatchObject({ status: 422, body: { code: 'provider_email_needs_verification' } })
    expect(await auth.linksTo(given.email)).toHaveLength(1)
  })
})

test('an ID token links its identity to who is signed in', async () => {
  const user = await auth.signedIn()
  const given = claims()
  const link = async () => user.client.linkIdentity({ provider, token: await oidc.idToken(given) })
  const { data, error } = await link()
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ id: user.id, app_metadata: { providers: ['email', 'oidc'] } })
  expect((await link()).error).toMatchObject({ status: 422, code: 'identity_already_exists' })
  const stranger = await auth.call('POST', '/token?grant_type=id_token', {
    body: { provider: 'oidc', id_token: await oidc.idToken(claims()), link_identity: true },
  })
  expect(stranger).toMatchObject({ status: 401, body: { error_code: 'no_authorization' } })
})
