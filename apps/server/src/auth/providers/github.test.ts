import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { createTestAuth, newEmail, siteUrl, type TestAuth } from '../testing/auth-server.ts'

interface Email {
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** What GitHub's own HTTP does for a sign-in, for one person at a time. */
let github: Server
let person = { id: 1, login: 'octocat', name: 'Mona', emails: [] as Email[] }
let broken = false
const codes = new Map<string, string>()

let auth: TestAuth
beforeAll(async () => {
  github = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://github')
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/login/oauth/authorize') {
      const code = `code-${codes.size}`
      codes.set(code, url.searchParams.get('code_challenge')!)
      const back = new URL(url.searchParams.get('redirect_uri')!)
      back.searchParams.set('code', code)
      back.searchParams.set('state', url.searchParams.get('state')!)
      return response.writeHead(302, { location: back.href }).end()
    }
    if (url.pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await text(request))
      const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url')
      const good =
        codes.get(form.get('code')!) === challenge &&
        form.get('client_id') === 'ours' &&
        form.get('client_secret') === 'secret'
      codes.delete(form.get('code')!)
      return json(
        good
          ? { access_token: 'gho_token', token_type: 'bearer', scope: 'user:email' }
          : { error: 'bad_verification_code' },
      )
    }
    if (broken || request.headers.authorization !== 'Bearer gho_token') return json({}, 401)
    const { emails, ...user } = person
    if (url.pathname === '/api/v3/user') return json({ ...user, email: null })
    return url.pathname === '/api/v3/user/emails' ? json(emails) : json({}, 404)
  })
  github.listen(0, '127.0.0.1')
  await once(github, 'listening')
  const url = `http://127.0.0.1:${(github.address() as AddressInfo).port}`
  auth = await createTestAuth({
    providers: {
      ...noProviders,
      github: { clientId: 'ours', clientSecret: 'secret', url, apiUrl: `${url}/api/v3` },
    },
  })
})
afterAll(async () => {
  await auth[Symbol.asyncDispose]()
  github.closeAllConnections()
  github.close()
})

async function signIn(): Promise<Record<string, string>> {
  const { data } = await auth.client().signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true, redirectTo: siteUrl },
  })
  const out = await fetch(data.url!, { redirect: 'manual' })
  const back = await fetch(out.headers.get('location')!, { redirect: 'manual' })
  const { location } = await auth.follow(new URL(back.headers.get('location')!))
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
}

const userOf = async (values: Record<string, string>) =>
  (await auth.call('GET', '/user', { token: values['access_token'] })).body

describe('GitHub', () => {
  test('gives the primary address that it verified', async () => {
    const [primary, other] = [newEmail(), newEmail()]
    person = {
      ...person,
      id: 101,
      emails: [
        { email: other, verified: true, primary: false },
        { email: primary.toUpperCase(), verified: true, primary: true },
      ],
    }
    const values = await signIn()
    expect(values['provider_token']).toBe('gho_token')
    expect(await userOf(values)).toMatchObject({
      email: primary,
      app_metadata: { provider: 'github', providers: ['github'] },
      user_metadata: { user_name: 'octocat', full_name: 'Mona', provider_id: '101', email_verified: true },
      identities: [{ id: '101', provider: 'github' }],
    })
  })

  test('leads to the account of another verified address, when there is one such account', async () => {
    const { id, email } = await auth.signedIn()
    person = {
      ...person,
      id: 102,
      emails: [
        { email: newEmail(), verified: true, primary: true },
        { email, verified: true, primary: false },
      ],
    }
    expect((await userOf(await signIn()))['id']).toBe(id)
  })

  test('does not lead to an account by an address that only lower-casing would make its own', async () => {
    const victim = await auth.signedIn(`k${newEmail()}`)
    const [lookalike, own] = [victim.email.replace('k', '\u212A'), newEmail()]
    person = {
      ...person,
      id: 106,
      emails: [
        { email: lookalike, verified: true, primary: true },
        { email: own, verified: true, primary: false },
      ],
    }
    const user = await userOf(await signIn())
    expect(user).toMatchObject({ email: own, identities: [{ identity_data: { email: own } }] })
    expect(user['id']).not.toBe(victim.id)
  })

  test('leads nowhere when several accounts have its addresses, unless one has the primary one', async () => {
    const [first, second] = [await auth.signedIn(), await auth.signedIn()]
    const list = (primary: string) => [
      { email: primary, verified: true, primary: true },
      { email: first.email, verified: true, primary: false },
      { email: second.email, verified: true, primary: false },
    ]
    person = { ...person, id: 103, emails: list(newEmail()) }
    expect(await signIn()).toMatchObject({ error: 'server_error', error_code: 'conflict' })
    person = {
      ...person,
      id: 104,
      emails: [...list(first.email).slice(0, 1), ...list(first.email).slice(2)],
    }
    expect((await userOf(await signIn()))['id']).toBe(first.id)
  })

  test('does not lead to an account by an address that it has not verified', async () => {
    const { email } = await auth.signedIn()
    person = { ...person, id: 105, emails: [{ email, verified: false, primary: true }] }
    expect(await signIn()).toMatchObject({ error_code: 'provider_email_needs_verification' })
  })

  test('that does not answer is told without its words', async () => {
    broken = true
    expect(await signIn()).toMatchObject({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unable to exchange external code',
    })
    broken = false
  })
})
