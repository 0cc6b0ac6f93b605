/**
 * A real OpenID Connect provider on loopback, and a browser that goes through it. The test says by `login_hint` who
 * signs in there and whether they agree.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { OidcClient } from '../../config.ts'
import { siteUrl } from './auth-server.ts'

export interface OidcPerson {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly given_name?: string
  readonly family_name?: string
}

/** The parts of `oidc-provider` that are used; it comes without types. */
interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ params: Record<string, string> }>
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  Grant: new (of: { accountId: string; clientId: string }) => {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
}

export interface TestOidc extends AsyncDisposable {
  readonly client: OidcClient
  readonly people: Map<string, OidcPerson>
  /** A token as the provider would sign it. */
  idToken(claims: Record<string, unknown>, options?: { key?: CryptoKey }): Promise<string>
}

const clientId = 'ingot'
const clientSecret = 'a-secret-of-the-test'

export async function startOidc(): Promise<TestOidc> {
  const people = new Map<string, OidcPerson>()
  const pair = await generateKeyPair('RS256', { extractable: true })
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => {}
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await createProvider(issuer, people, await exportJWK(pair.privateKey))
  const callback = provider.callback()
  handle = (request, response) =>
    request.url!.startsWith('/interaction/')
      ? interact(provider, request, response)
      : callback(request, response)
  return {
    client: { issuer, clientId, clientSecret, name: 'Acme Login' },
    people,
    idToken: (claims, { key = pair.privateKey } = {}) =>
      new SignJWT({ iss: issuer, aud: clientId, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'test' })
        .setIssuedAt()
        .setExpirationTime((claims['exp'] as number | undefined) ?? '5m')
        .sign(key),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function createProvider(
  issuer: string,
  people: Map<string, OidcPerson>,
  key: object,
): Promise<OidcProvider> {
  const untyped: string = 'oidc-provider'
  const { default: Provider } = (await import(untyped)) as {
    default: new (issuer: string, options: object) => OidcProvider
  }
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${siteUrl}/auth/v1/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    adapter: createStore(),
    jwks: { keys: [{ ...key, alg: 'RS256', kid: 'test', use: 'sig' }] },
    cookies: { keys: ['cookie secret of the test'] },
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name'],
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60, RefreshToken: 60 },
  })
}

interface Stored {
  readonly uid?: string
  readonly grantId?: string
  consumed?: number
}

/** What the provider remembers; one of its own would warn on each start that it is lost with the process. */
function createStore() {
  const all = new Map<string, Stored>()
  return class {
    readonly kind: string
    constructor(kind: string) {
      this.kind = kind
    }
    key = (id: string) => `${this.kind}:${id}`
    upsert = async (id: string, payload: Stored) => void all.set(this.key(id), payload)
    find = async (id: string) => all.get(this.key(id))
    findByUid = async (uid: string) => [...all.values()].find(each => each.uid === uid)
    destroy = async (id: string) => void all.delete(this.key(id))
    async consume(id: string) {
      all.get(this.key(id))!.consumed = Math.floor(Date.now() / 1000)
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, { grantId: of }] of all) if (of === grantId) all.delete(key)
    }
  }
}

async function interact(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const accountId = params['login_hint'] ?? ''
  if (accountId === 'nobody') {
    const refusal = { error: 'access_denied', error_description: 'They said no' }
    return provider.interactionFinished(request, response, refusal)
  }
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(params['scope']!)
  const grantId = await grant.save()
  return provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } })
}

/** Follows redirects, with cookies, until one leads to the site. */
export async function browse(url: string): Promise<URL> {
  const jar = new Map<string, string>()
  let next = new URL(url)
  for (let hops = 0; hops < 12; hops++) {
    if (next.origin === siteUrl) return next
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(pair => pair.join('=')).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      jar.set(name!, value!)
    }
    const location = response.headers.get('location')
    if (!location)
      throw new Error(`${response.status} from ${next.href}: ${(await response.text()).slice(0, 300)}`)
    next = new URL(location, next)
  }
  throw new Error(`no end of redirects at ${next.href}`)
}
