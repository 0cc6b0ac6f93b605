import { createHash, createPublicKey, createVerify, X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import { apiVersion, createTestAuth, newEmail, siteUrl, type TestAuth } from '../test-auth.ts'
import {
  acsUrl,
  type Assertion,
  createIdp,
  newKey,
  ownEntityId,
  requestIdOf,
  type TestIdp,
} from './test-saml.ts'

const idp: TestIdp = createIdp()
const admin = { token: 'service-key-of-the-test', headers: apiVersion }
const providers = {
  ...noProviders,
  samlKey: 'generate',
  serviceKeyHash: createHash('sha256').update(admin.token).digest(),
}
let auth: TestAuth
let connectionId: string
beforeAll(async () => {
  auth = await createTestAuth({ providers })
  connectionId = await connect(idp, {
    domains: ['Acme.example'],
    attribute_mapping: {
      keys: { team: { name: 'dept', default: 'none' }, groups: { names: ['grp'], array: true } },
    },
  })
})
afterAll(() => auth[Symbol.asyncDispose]())

async function connect({ metadata }: TestIdp, more: object = {}): Promise<string> {
  const answer = await auth.call('POST', '/admin/sso/providers', {
    ...admin,
    body: { type: 'saml', metadata_xml: metadata, ...more },
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return String(answer.body['id'])
}

type Client = ReturnType<TestAuth['client']>
const page = `${siteUrl}/arrived`

interface Left {
  readonly url: URL
  readonly relayState: string
  readonly requestId: string
}

async function leave(client: Client = auth.client(), by: object = { domain: 'acme.EXAMPLE' }): Promise<Left> {
  const { data, error } = await client.signInWithSSO({
    ...(by as { domain: string }),
    options: { redirectTo: page, skipBrowserRedirect: true },
  })
  expect(error).toBeNull()
  const url = new URL(data!.url)
  return { url, relayState: url.searchParams.get('RelayState')!, requestId: requestIdOf(url) }
}

async function arrive(relayState: string | null, answer: string): Promise<URL> {
  const response = await fetch(`${auth.url}/sso/saml/acs`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      SAMLResponse: answer,
      ...(relayState === null ? {} : { RelayState: relayState }),
    }),
  })
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location')!)
}

const fragment = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

async function signIn(assertion: Partial<Assertion> = {}, from = idp): Promise<URL> {
  const { relayState, requestId } = await leave()
  return arrive(relayState, from.answer({ requestId, email: newEmail(), ...assertion }))
}

const userOf = async (location: URL) =>
  (await auth.call('GET', '/user', { token: fragment(location)['access_token'] })).body

describe('the way to the identity provider', () => {
  test('is a signed request that names us, by domain or by id', async () => {
    for (const by of [{ domain: 'acme.example' }, { providerId: connectionId }]) {
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

describe('a good answer', () => {
  test('opens an account of the connection alone, with the session in the fragment', async () => {
    const email = newEmail()
    const location = await signIn({
      nameId: 'employee-7',
      email,
      attributes: { dept: 'research', grp: ['a', 'b'] },
    })
    expect(location.href.split('#')[0]).toBe(page)
    expect(fragment(location)).not.toHaveProperty('provider_token')
    expect(await userOf(location)).toMatchObject({
      email,
      is_sso_user: true,
      email_confirmed_at: expect.any(String) as string,
      app_metadata: { provider: `sso:${connectionId}`, providers: [`sso:${connectionId}`] },
      user_metadata: {
        iss: idp.entityId,
        sub: 'employee-7',
        email,
        email_verified: true,
        custom_claims: { team: 'research', groups: ['a', 'b'] },
      },
      identities: [{ id: 'employee-7', provider: `sso:${connectionId}` }],
    })
    const { access_token: token } = fragment(location)
    const payload = JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString()) as object
    expect(payload).toMatchObject({ amr: [{ method: 'sso/saml', provider: connectionId }] })
  })

  test('to the same name is the same account', async () => {
    const first = await userOf(await signIn({ nameId: 'employee-8' }))
    const second = await userOf(await signIn({ nameId: 'employee-8' }))
    expect(second['id']).toBe(first['id'])
  })

  test('never leads to the account of its address, nor takes the address from anybody', async () => {
    const { id, email, password } = await auth.signedIn()
    const user = await userOf(await signIn({ nameId: newId(), email }))
    expect(user).toMatchObject({ email, is_sso_user: true })
    expect(user['id']).not.toBe(id)
    expect((await auth.client().signInWithPassword({ email, password })).data.user!.id).toBe(id)
    const another = await userOf(await signIn({ nameId: newId(), email }))
    expect(another['id']).not.toBe(user['id'])
  })

  test('leads a page with a verifier to a code', async () => {
    const client = auth.client({ flowType: 'pkce' })
    const { relayState, requestId } = await leave(client)
    const location = await arrive(relayState, idp.answer({ requestId, nameId: newId(), email: newEmail() }))
    expect(location.hash).toBe('')
    const { data, error } = await client.exchangeCodeForSession(location.searchParams.get('code')!)
    expect(error).toBeNull()
    const { data: claims } = await client.getClaims()
    expect(claims!.claims.amr).toMatchObject([{ method: 'sso/saml', provider: connectionId }])
    expect(data.user).toMatchObject({ is_sso_user: true })
  })

  test('may name the user by address, and may have the address nowhere else', async () => {
    const email = newEmail()
    const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
    const user = await userOf(await signIn({ nameId: email.toUpperCase(), format, email: null }))
    expect(user).toMatchObject({ email, identities: [{ id: email }] })
  })

  test('cannot change what the connection manages', async () => {
    const { access_token: token } = fragment(await signIn({ nameId: newId() }))
    for (const body of [{ password: 'a new password' }, { email: newEmail() }])
      expect(await auth.call('PUT', '/user', { token, headers: apiVersion, body })).toMatchObject({
        status: 422,
        body: { code: 'user_sso_managed' },
      })
  })
})

describe('an answer is refused that', () => {
  const expectInvalid = (location: URL) => {
    expect(fragment(location)).toMatchObject({
      error: 'invalid_request',
      error_code: 'validation_failed',
      error_description: 'SAML Assertion is not valid',
    })
    expect(location.searchParams.get('error_code')).toBe('validation_failed')
    expect(location.pathname).toBe('/arrived')
  }

  test.each<[string, Partial<Assertion>]>([
    ['is not signed', { sign: 'nothing' }],
    ['is signed as a whole while its assertion is not', { sign: 'response' }],
    ['is signed with a key of somebody else', { key: newKey() }],
    ['is signed with SHA-1', { signature: 'sha1' }],
    ['is for another audience', { audience: 'https://another.example' }],
    ['is for another address', { recipient: 'https://another.example/acs' }],
    ['has expired', { from: -900, until: -600 }],
    ['is not valid yet', { from: 600, until: 900 }],
    ['answers another request', { requestId: '_another' }],
    ['confirms another request', { confirmedRequestId: '_another' }],
    ['confirms no request, so it could be put into any answer', { confirmedRequestId: null }],
    ['another identity provider made', { issuer: 'https://another.example' }],
  ])('%s', async (_, wrong) => {
    expectInvalid(await signIn({ nameId: newId(), ...wrong }))
  })

  test('was changed after it was signed', async () => {
    const { relayState, requestId } = await leave()
    const good = idp.answer({ requestId, nameId: 'employee-9', email: newEmail() })
    const changed = Buffer.from(good, 'base64').toString().replace('employee-9', 'employee-7')
    expectInvalid(await arrive(relayState, Buffer.from(changed).toString('base64')))
  })

  test('wraps a forged assertion around the signed one', async () => {
    const { relayState, requestId } = await leave()
    const xml = Buffer.from(
      idp.answer({ requestId, nameId: 'employee-9', email: newEmail() }),
      'base64',
    ).toString()
    const assertion = /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)![0]
    const forged = assertion
      .replace(/<Signature.*<\/Signature>/s, '')
      .replace('employee-9', 'employee-7')
      .replace(/ID="_[^"]+"/, 'ID="_forged"')
    expect(forged).not.toContain('SignatureValue')
    for (const wrapped of [
      xml.replace(assertion, forged + assertion),
      xml.replace(
        assertion,
        forged.replace('<saml:Subject>', `<saml:Advice>${assertion}</saml:Advice><saml:Subject>`),
      ),
    ]) {
      const again = await leave()
      expectInvalid(
        await arrive(
          again.relayState,
          Buffer.from(wrapped.replaceAll(requestId, again.requestId)).toString('base64'),
        ),
      )
      expect(relayState).not.toBe(again.relayState)
    }
  })

  test('is no XML, has a document type, or is missing', async () => {
    for (const text of ['nonsense', '<!DOCTYPE x [<!ENTITY e "x">]><x>&e;</x>'])
      expectInvalid(await arrive((await leave()).relayState, Buffer.from(text).toString('base64')))
    const { relayState } = await leave()
    expect(fragment(await arrive(relayState, ''))).toMatchObject({
      error_description: 'SAMLResponse is missing',
    })
  })

  test('says no lasting name, or no address', async () => {
    const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
    expect(fragment(await signIn({ format: transient }))).toMatchObject({
      error_code: 'saml_assertion_no_user_id',
    })
    expect(fragment(await signIn({ nameId: newId(), email: null }))).toMatchObject({
      error_code: 'saml_assertion_no_email',
    })
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

describe('connections', () => {
  const call = (method: string, path: string, body?: object) =>
    auth.call(method, `/admin/sso/providers${path}`, { ...admin, body })

  test('are listed without their metadata, read, changed and removed', async () => {
    const other = createIdp()
    const id = await connect(other, { domains: ['one.example', 'two.example'] })
    const { items } = (await call('GET', '')).body as { items: { id: string; saml: object }[] }
    const listed = items.find(each => each.id === id)!
    expect(listed.saml).toEqual({ entity_id: other.entityId, attribute_mapping: {} })
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      id,
      disabled: false,
      saml: { entity_id: other.entityId, metadata_xml: other.metadata },
      domains: [{ domain: 'one.example' }, { domain: 'two.example' }],
    })
    const rotated = createIdp(newKey(), other.entityId)
    const changed = await call('PUT', `/${id}`, {
      metadata_xml: rotated.metadata,
      domains: ['two.example', 'three.example'],
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        saml: { metadata_xml: rotated.metadata },
        domains: [{ domain: 'three.example' }, { domain: 'two.example' }],
      },
    })
    const { relayState, requestId } = await leave(auth.client(), { domain: 'three.example' })
    const answer = rotated.answer({ requestId, nameId: newId(), email: newEmail() })
    expect(fragment(await arrive(relayState, answer))['access_token']).toBeTruthy()
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { id } })
    expect(await call('GET', `/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'sso_provider_not_found' },
    })
  })

  test.each<[string, () => object, number, string]>([
    ['another kind', () => ({ type: 'oidc' }), 400, "Only 'saml' supported for SSO provider type"],
    ['no metadata', () => ({ type: 'saml' }), 400, 'Either metadata_xml or metadata_url must be set'],
    [
      'both kinds of metadata',
      () => ({ type: 'saml', metadata_xml: 'x', metadata_url: 'https://idp.example' }),
      400,
      'Only one of metadata_xml or metadata_url needs to be set',
    ],
    [
      'metadata over http',
      () => ({ type: 'saml', metadata_url: 'http://idp.example' }),
      400,
      'metadata_url is not a HTTPS URL',
    ],
    ['no XML', () => ({ type: 'saml', metadata_xml: 'nonsense' }), 400, 'SAML Metadata is not valid XML'],
    [
      'other XML',
      () => ({ type: 'saml', metadata_xml: '<x/>' }),
      400,
      'SAML Metadata does not contain an EntityID',
    ],
    [
      'no certificate',
      () => ({
        type: 'saml',
        metadata_xml: createIdp().metadata.replace(/<md:KeyDescriptor.*KeyDescriptor>/s, ''),
      }),
      400,
      'SAML Metadata does not contain a signing certificate',
    ],
    [
      'an identity provider that is there',
      () => ({ type: 'saml', metadata_xml: idp.metadata }),
      422,
      `SAML Identity Provider with this EntityID (${idp.entityId}) already exists`,
    ],
    [
      'a domain of another',
      () => ({ type: 'saml', metadata_xml: createIdp().metadata, domains: ['acme.example'] }),
      400,
      "SSO Domain 'acme.example' is already assigned to an SSO identity provider",
    ],
    [
      'no domain',
      () => ({ type: 'saml', metadata_xml: createIdp().metadata, domains: ['https://x'] }),
      400,
      '"https://x" is not a domain',
    ],
  ])('are not made with %s', async (_, body, status, message) => {
    const answer = await call('POST', '', body())
    expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(message) as string } })
  })

  test('keep their identity provider', async () => {
    const answer = await call('PUT', `/${connectionId}`, { metadata_xml: createIdp().metadata })
    expect(answer).toMatchObject({ status: 400, body: { code: 'saml_entity_id_mismatch' } })
  })

  test('are the administrator’s alone', async () => {
    const { token } = await auth.signedIn()
    const answer = await auth.call('GET', '/admin/sso/providers', { token, headers: apiVersion })
    expect(answer).toMatchObject({ status: 403, body: { code: 'not_admin' } })
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
