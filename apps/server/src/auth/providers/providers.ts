/** The providers that the operator configured, by the name that clients call them. */
import { AuthError, invalid } from '../errors.ts'
import type { AuthSettings } from '../settings.ts'
import { createGithubProvider } from './github.ts'
import { createOidcProvider } from './oidc.ts'
import type { IdToken, Provider } from './provider.ts'

const names = ['github', 'google', 'oidc']

/** Providers, made once per settings: they remember what is published. */
const made = new WeakMap<AuthSettings['providers'], ReadonlyMap<string, Provider>>()

function providersOf({ providers }: Pick<AuthSettings, 'providers'>): ReadonlyMap<string, Provider> {
  const known = made.get(providers)
  if (known) return known
  const { github, google, oidc } = providers
  const list = [
    github && createGithubProvider(github),
    google && createOidcProvider('google', google),
    oidc && createOidcProvider('oidc', oidc),
  ]
  const map = new Map(list.filter(each => each !== null).map(each => [each.id, each]))
  made.set(providers, map)
  return map
}

/** Which providers are on, for sign-in screens. */
export const external = ({ providers: { github, google, oidc } }: AuthSettings) => ({
  github: github !== null,
  google: google !== null,
  oidc: oidc !== null,
})

/** What the buttons of those that are on say. */
export const externalNames = ({ providers: { github, google, oidc } }: AuthSettings) => ({
  ...(github ? { github: 'GitHub' } : {}),
  ...(google ? { google: google.name } : {}),
  ...(oidc ? { oidc: oidc.name } : {}),
})

export function findProvider(settings: AuthSettings, name: string): Provider {
  const provider = providersOf(settings).get(name)
  if (provider) return provider
  throw invalid(
    names.includes(name)
      ? 'Unsupported provider: provider is not enabled'
      : `Unsupported provider: Provider ${name.slice(0, 64)} could not be found`,
  )
}

/** A provider's name, how its ID tokens are read, and for whom they must be. */
export function findIssuer(
  settings: AuthSettings,
  name: string,
): { id: string; clientId: string; read: (idToken: string, accessToken: string) => Promise<IdToken> } {
  const provider = providersOf(settings).get(name)
  const { google, oidc } = settings.providers
  const clientId = (name === 'google' ? google : name === 'oidc' ? oidc : null)?.clientId
  if (provider?.readIdToken && clientId) return { id: name, clientId, read: provider.readIdToken }
  throw new AuthError(
    400,
    'provider_disabled',
    `Provider (issuer ${JSON.stringify(name.slice(0, 64))}) is not enabled`,
  )
}
