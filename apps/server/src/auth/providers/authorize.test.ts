import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { defaultSettings } from '../settings.ts'
import { apiVersion, createTestAuth, siteUrl } from '../testing/auth-server.ts'
import { expectRefused, page, query, useTestOauth } from '../testing/oauth.ts'

const { auth, oidc } = useTestOauth()

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
    expect(url.origin).toBe(oidc().client.issuer)
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
      { providers: { ...noProviders, oidc: { ...oidc().client, issuer: 'http://127.0.0.1:9' } } },
      auth.database,
    )
    const location = (await other.follow(new URL(`${other.url}/authorize?provider=oidc&redirect_to=${page}`)))
      .location
    expectRefused(location, 'server_error', 'unexpected_failure', 'oidc cannot be reached at the moment')
  })
})

test('each IP may leave for providers and connections so often', async () => {
  const tight = { burst: 2, perSecond: 0.001 }
  const { buckets } = defaultSettings({ loopback: true })
  await using limited = await createTestAuth(
    {
      providers: { ...noProviders, oidc: oidc().client, samlKey: 'generate' },
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
