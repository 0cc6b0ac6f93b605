/** A service with a connection to an identity provider, and the way to that and back. */
import { expect } from 'vitest'
import { providers as withServiceKey, serviceKey } from './admin.ts'
import {
  apiVersion,
  createTestAuth,
  fragment,
  newEmail,
  siteUrl,
  type TestAuth,
  useTestAuth,
} from './auth-server.ts'
import { type Assertion, createIdp, requestIdOf, type TestIdp } from './saml-provider.ts'

export const admin = { token: serviceKey, headers: apiVersion }
export const providers = { ...withServiceKey, samlKey: 'generate' }

type Client = ReturnType<TestAuth['client']>
export const page = `${siteUrl}/arrived`

interface Left {
  readonly url: URL
  readonly relayState: string
  readonly requestId: string
}

async function connectTo(auth: TestAuth, { metadata }: TestIdp, more: object): Promise<string> {
  const answer = await auth.call('POST', '/admin/sso/providers', {
    ...admin,
    body: { type: 'saml', metadata_xml: metadata, ...more },
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return String(answer.body['id'])
}

async function start(idp: TestIdp): Promise<TestAuth & { readonly connectionId: string }> {
  const auth = await createTestAuth({ providers })
  const connectionId = await connectTo(auth, idp, {
    domains: ['Acme.example'],
    attribute_mapping: {
      keys: { team: { name: 'dept', default: 'none' }, groups: { names: ['grp'], array: true } },
    },
  })
  return { ...auth, connectionId }
}

/** Starts a service with a connection for the tests of this file. */
export function useTestSso() {
  const idp: TestIdp = createIdp()
  const auth = useTestAuth(() => start(idp))
  const connectionId = () => auth.connectionId
  const connect = (to: TestIdp, more: object = {}) => connectTo(auth, to, more)

  async function leave(
    client: Client = auth.client(),
    by: object = { domain: 'acme.EXAMPLE' },
  ): Promise<Left> {
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

  async function signIn(assertion: Partial<Assertion> = {}, from = idp): Promise<URL> {
    const { relayState, requestId } = await leave()
    return arrive(relayState, from.answer({ requestId, email: newEmail(), ...assertion }))
  }

  const userOf = async (location: URL) =>
    (await auth.call('GET', '/user', { token: fragment(location)['access_token'] })).body

  return { auth, idp, connectionId, connect, leave, arrive, signIn, userOf }
}
