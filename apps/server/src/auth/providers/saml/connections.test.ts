import { describe, expect, test } from 'vitest'
import { newId } from '../../../db/ids.ts'
import { apiVersion, fragment, newEmail } from '../../testing/auth-server.ts'
import { createIdp, newKey } from '../../testing/saml-provider.ts'
import { admin, useTestSso } from '../../testing/sso.ts'

const { auth, idp, connectionId, connect, leave, arrive } = useTestSso()

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
    const entries = await auth.database.kysely
      .selectFrom('audit_log')
      .select(['actor', 'after'])
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute()
    const made = { entity_id: other.entityId, domains: 'one.example two.example', disabled: false }
    expect(entries.map(({ after }) => after)).toEqual([
      made,
      { domains: 'three.example two.example', metadata: 'changed' },
      { entity_id: null, domains: null, disabled: null },
    ])
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set(['staff:service_role']))
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
    const answer = await call('PUT', `/${connectionId()}`, { metadata_xml: createIdp().metadata })
    expect(answer).toMatchObject({ status: 400, body: { code: 'saml_entity_id_mismatch' } })
  })

  test('are the administrator’s alone', async () => {
    const { token } = await auth.signedIn()
    const answer = await auth.call('GET', '/admin/sso/providers', { token, headers: apiVersion })
    expect(answer).toMatchObject({ status: 403, body: { code: 'not_admin' } })
  })
})
