import { describe, expect, test } from 'vitest'
import { newId } from '../../../db/ids.ts'
import { apiVersion, fragment, newEmail } from '../../testing/auth-server.ts'
import { type Assertion, newKey } from '../../testing/saml-provider.ts'
import { page, useTestSso } from '../../testing/sso.ts'

const { auth, idp, connectionId, leave, arrive, signIn, userOf } = useTestSso()

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
      app_metadata: { provider: `sso:${connectionId()}`, providers: [`sso:${connectionId()}`] },
      user_metadata: {
        iss: idp.entityId,
        sub: 'employee-7',
        email,
        email_verified: true,
        custom_claims: { team: 'research', groups: ['a', 'b'] },
      },
      identities: [{ id: 'employee-7', provider: `sso:${connectionId()}` }],
    })
    const { access_token: token } = fragment(location)
    const payload = JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString()) as object
    expect(payload).toMatchObject({ amr: [{ method: 'sso/saml', provider: connectionId() }] })
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
    expect(claims!.claims.amr).toMatchObject([{ method: 'sso/saml', provider: connectionId() }])
    expect(data.user).toMatchObject({ is_sso_user: true })
  })

  test('may name the user by address, and may have the address nowhere else', async () => {
    const email = newEmail()
    const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
    const user = await userOf(await signIn({ nameId: email.toUpperCase(), format, email: null }))
    expect(user).toMatchObject({ email, identities: [{ id: email }] })
  })

  test('is not somebody else’s by a name or an address that only lower-casing would make theirs', async () => {
    const [email, format] = [`k${newEmail()}`, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress']
    const lookalike = email.replace('k', '\u212A')
    await signIn({ nameId: email, format })
    expect(fragment(await signIn({ nameId: lookalike, format }))).toMatchObject({
      error_code: 'saml_assertion_no_user_id',
    })
    expect(fragment(await signIn({ nameId: newId(), email: lookalike }))).toMatchObject({
      error_code: 'saml_assertion_no_email',
    })
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
