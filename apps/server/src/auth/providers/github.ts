/**
 * GitHub: plain OAuth 2, so who somebody is comes from its API. Addresses are those that it lists, with what it
 * verified.
 */
import * as client from 'openid-client'
import type { SignInConfig } from '../../config.ts'
import { emailOf } from '../addresses.ts'
import {
  describe,
  type Person,
  type Provider,
  providerTimeoutSeconds,
  subjectOf,
  textOf,
} from './provider.ts'

const scopes = ['user:email']

export function createGithubProvider(settings: NonNullable<SignInConfig['github']>): Provider {
  const { url, apiUrl, clientId, clientSecret } = settings
  const server = {
    issuer: url,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }
  const configuration = new client.Configuration(
    server,
    clientId,
    undefined,
    client.ClientSecretPost(clientSecret),
  )
  configuration.timeout = providerTimeoutSeconds
  if (url.startsWith('http:')) client.allowInsecureRequests(configuration)

  return {
    id: 'github',
    leave: ({ state, challenge, redirectUri, scopes: more, extra }) =>
      Promise.resolve(
        client.buildAuthorizationUrl(configuration, {
          ...extra,
          redirect_uri: redirectUri,
          scope: [...new Set([...scopes, ...more])].join(' '),
          state,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }),
      ),
    async arrive({ url: arrived, state, verifier }) {
      // GitHub may name itself in its answers, by a name that differs between its servers.
      arrived.searchParams.delete('iss')
      const tokens = await client.authorizationCodeGrant(configuration, arrived, {
        expectedState: state,
        pkceCodeVerifier: verifier,
      })
      const [user, emails] = await Promise.all([
        get(`${apiUrl}/user`, tokens.access_token),
        get(`${apiUrl}/user/emails`, tokens.access_token),
      ])
      return {
        person: personOf(apiUrl, user, emails),
        token: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
      }
    },
    readIdToken: null,
  }
}

async function get(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'ingot',
    },
    redirect: 'error',
    signal: AbortSignal.timeout(providerTimeoutSeconds * 1000),
  })
  if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${new URL(url).pathname}`)
  return response.json()
}

const maxEmails = 20

function personOf(issuer: string, user: unknown, list: unknown): Person {
  const { id, login, name, avatar_url } = user as Record<string, unknown>
  const subject = subjectOf(id)
  const emails = (Array.isArray(list) ? (list as Record<string, unknown>[]) : [])
    .slice(0, maxEmails)
    .map(each => ({
      email: emailOf(textOf(each['email']) ?? '') ?? '',
      verified: each['verified'] === true,
      primary: each['primary'] === true,
    }))
    .filter(({ email }) => email)
  const first = emails.find(({ primary }) => primary) ?? emails[0]
  return {
    subject,
    emails,
    data: describe({
      issuer,
      subject,
      email: first?.email ?? null,
      emailVerified: first?.verified ?? false,
      name: textOf(name),
      givenName: null,
      familyName: null,
      userName: textOf(login),
      picture: textOf(avatar_url),
    }),
  }
}
