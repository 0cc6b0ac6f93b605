import { createPublicKey, createVerify, X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../../db/ids.ts'
import { apiVersion, createTestAuth, fragment, newEmail } from '../../testing/auth-server.ts'
import { acsUrl, createIdp, newKey, ownEntityId } from '../../testing/saml-provider.ts'
import { admin, page, providers, useTestSso } from '../../testing/sso.ts'

const { auth, idp, connectionId, connect, leave, arrive } = useTestSso()

describe('the way to the identity provider', () => {
  test('is a signed request that names us, by domain or by id', async () => {
    for (const by of [{ domain: 'acme.example' }, { providerId: connectionId() }]) {
      const { url, relayState } = await leave(auth.client(), by)
      expect(url.origin + url.pathname).toBe('https://idp.example/login')
      expect(relayState).toMatch(/^[0-9a-f-]{36}$/)
      const [signed, signature] = url.search.slice(1).split('&Signature=')
      const metadata = (await auth.call('GET', '/sso/saml/metadata')).body['text'] as string
      const certificate = /X509Certificate>([^<]+)</.exec(metadata)![1]!
      const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
      const verify = createVerify('RSA-SHA256').update(signed!)
      expect(verify.verify(publicKey, Buffer.from(decodeURIComponent(signature!), 'base64'))).toBe(true)
    }
  })

  test('our metadata names address and key, and stays the same', async () => {
    const read = async (query = '') => auth.call('GET', `/sso/saml/metadata${query}`)
    const first = await read()
    const xml = String(first.body['text'])
    expect(first.headers.get('content-type')).toBe('application/samlmetadata+xml')
    expect(xml).toContain(`entityID="${ownEntityId}"`)
    expect(xml).toContain(`Location="${acsUrl}"`)
    expect(xml).toContain('WantAssertionsSigned="true"')
    expect(xml).toContain('AuthnRequestsSigned="true"')
    const again = await read('?download=true')
    expect(again.body['text']).toBe(xml)
    expect(again.headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"')
    const { rows } = await sql`select private_key_sealed from auth_saml_key`.execute(auth.database.kysely)
    expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
  })

  test('carries the operator’s own key when there is one', async () => {
    const key = newKey()
    const samlKey = key.export({ type: 'pkcs8', format: 'pem' }) as string
    await using own = await createTestAuth({ providers: { ...providers, samlKey } }, auth.database)
    const xml = String((await own.call('GET', '/sso/saml/metadata')).body['text'])
    const certificate = new X509Certificate(Buffer.from(/X509Certificate>([^<]+)</.exec(xml)![1]!, 'base64'))
    expect(certificate.publicKey.equals(createPublicKey(key))).toBe(true)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
  })

  test('is a redirect for who does not ask for the address', async () => {
    const answer = await auth.call('POST', '/sso', { body: { domain: 'acme.example' } })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch('https://idp.example/login?SAMLRequest=')
  })

  test.each([
    [{}, 400, 'validation_failed', 'A provider_id or domain needs to be provided'],
    [
      { provider_id: newId(), domain: 'a.example' },
      400,
      'validation_failed',
      'Only one of provider_id or domain supported',
    ],
    [{ provider_id: newId() }, 404, 'sso_provider_not_found', 'No such SSO provider'],
    [{ provider_id: 'x' }, 404, 'sso_provider_not_found', 'No such SSO provider'],
    [{ domain: 'b.example' }, 404, 'sso_provider_not_found', 'No SSO provider assigned for this domain'],
    [
      { domain: 'acme.example', code_challenge: 'x' },
      400,
      'validation_failed',
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('is refused for %j', async (body, status, code, message) => {
    const answer = await auth.call('POST', '/sso', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status, body: { code, message } })
  })
})

describe('a visit', () => {
  test('works once: an answer played back is refused', async () => {
    const { relayState, requestId } = await leave()
    const answer = idp.answer({ requestId, nameId: newId(), email: newEmail() })
    expect(fragment(await arrive(relayState, answer))['access_token']).toBeTruthy()
    expect(fragment(await arrive(relayState, answer))).toMatchObject({
      error_code: 'saml_relay_state_not_found',
    })
    const other = await leave()
    expect(fragment(await arrive(other.relayState, answer))).toMatchObject({
      error_code: 'validation_failed',
    })
  })

  test('works for two minutes', async () => {
    const { relayState, requestId } = await leave()
    await sql`update auth_relay_state set expires_at = now() - interval '1 second'`.execute(
      auth.database.kysely,
    )
    const answer = idp.answer({ requestId, nameId: newId(), email: newEmail() })
    expect(fragment(await arrive(relayState, answer))).toMatchObject({
      error_code: 'saml_relay_state_expired',
    })
    const left = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - now())::int as seconds from auth_relay_state where expires_at > now()`
    await leave()
    expect((await left.execute(auth.database.kysely)).rows[0]!.seconds).toBeGreaterThan(110)
  })

  test('that nobody here began is refused', async () => {
    const answer = idp.answer({ requestId: '_x', nameId: newId(), email: newEmail() })
    for (const relayState of [null, '', page])
      expect(fragment(await arrive(relayState, answer))).toMatchObject({
        error_code: 'validation_failed',
        error_description: 'SAML RelayState is not a valid UUID',
      })
    expect(fragment(await arrive(newId(), answer))).toMatchObject({
      error_code: 'saml_relay_state_not_found',
    })
  })

  test('ends when its connection is switched off', async () => {
    const other = createIdp()
    const id = await connect(other)
    const { relayState, requestId } = await leave(auth.client(), { providerId: id })
    await auth.call('PUT', `/admin/sso/providers/${id}`, { ...admin, body: { disabled: true } })
    const answer = other.answer({ requestId, nameId: newId(), email: newEmail() })
    expect(fragment(await arrive(relayState, answer))).toMatchObject({ error_code: 'sso_provider_disabled' })
    expect(await auth.call('POST', '/sso', { headers: apiVersion, body: { provider_id: id } })).toMatchObject(
      {
        status: 404,
        body: { code: 'sso_provider_disabled' },
      },
    )
  })
})

test('without a key SAML is off, whatever is sent', async () => {
  await using off = await createTestAuth({ providers: { ...providers, samlKey: null } }, auth.database)
  for (const [method, path] of [
    ['POST', '/sso'],
    ['GET', '/sso/saml/metadata'],
    ['POST', '/sso/saml/acs'],
  ] as const)
    expect(await off.call(method, path, { headers: apiVersion })).toMatchObject({
      status: 404,
      body: { code: 'saml_provider_disabled', message: 'SAML 2.0 is disabled' },
    })
  expect((await off.call('GET', '/settings')).body).toMatchObject({ saml_enabled: false })
  expect((await auth.call('GET', '/settings')).body).toMatchObject({ saml_enabled: true })
})
