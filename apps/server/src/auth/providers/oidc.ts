/**
 * An OpenID Connect provider, found by its issuer. What it publishes about itself is read when it is first needed, and
 * again after a failure, so this service starts while the provider is down.
 */
import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { OidcClient } from '../../config.ts'
import { emailOf } from '../addresses.ts'
import {
  describe,
  type Person,
  type Provider,
  providerTimeoutSeconds,
  subjectOf,
  textOf,
} from './provider.ts'

const scopes = ['openid', 'email', 'profile']

/** Never a shared secret: anybody who has ours could make tokens. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export function createOidcProvider(id: string, settings: OidcClient): Provider {
  const discovered = once(() => discover(settings))
  const keys = once(async () => {
    const { jwks_uri } = (await discovered()).serverMetadata()
    if (!jwks_uri) throw new Error('the provider publishes no keys')
    return createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: providerTimeoutSeconds * 1000 })
  })

  return {
    id,
    async leave({ state, challenge, nonce, redirectUri, scopes: more, extra }) {
      return client.buildAuthorizationUrl(await discovered(), {
        ...extra,
        redirect_uri: redirectUri,
        scope: [...new Set([...scopes, ...more])].join(' '),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
    },
    async arrive({ url, state, verifier, nonce }) {
      const configuration = await discovered()
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()!
      const info =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {}
      return {
        person: personOf({ ...info, ...claims }),
        token: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
      }
    },
    async readIdToken(idToken, accessToken) {
      const { issuer } = (await discovered()).serverMetadata()
      // Google signs some with the name of its host alone.
      const { payload } = await jwtVerify(idToken, await keys(), {
        algorithms,
        issuer: [issuer, issuer.replace(/^https:\/\/(?=accounts\.google\.com$)/, '')],
        requiredClaims: ['exp', 'sub', 'aud'],
        clockTolerance: 5,
      })
      assertBelongTogether(idToken, payload, accessToken)
      const nonce = payload['nonce']
      return {
        person: personOf(payload),
        audiences: [payload.aud!].flat(),
        nonce: typeof nonce === 'string' ? nonce : '',
      }
    },
  }
}

function discover({ issuer, clientId, clientSecret }: OidcClient): Promise<client.Configuration> {
  const authenticate: client.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const basic = methods.includes('client_secret_basic')
    return (basic ? client.ClientSecretBasic : client.ClientSecretPost)(clientSecret)(server, ...rest)
  }
  // Settings allow http to this machine alone.
  const insecure = issuer.startsWith('http:')
  return client.discovery(new URL(issuer), clientId, undefined, authenticate, {
    timeout: providerTimeoutSeconds,
    execute: insecure ? [client.allowInsecureRequests] : [],
  })
}

function personOf(claims: Readonly<Record<string, unknown>>): Person {
  const subject = subjectOf(claims['sub'])
  const email = emailOf(textOf(claims['email']) ?? '')
  const verified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  return {
    subject,
    emails: email ? [{ email, verified, primary: true }] : [],
    data: describe({
      issuer: textOf(claims['iss']) ?? '',
      subject,
      email,
      emailVerified: verified,
      name: textOf(claims['name']),
      givenName: textOf(claims['given_name']),
      familyName: textOf(claims['family_name']),
      userName: textOf(claims['preferred_username']),
      picture: textOf(claims['picture']),
    }),
  }
}

/** An ID token that names an access token by its hash came with that one (OpenID Connect Core, 3.1.3.6). */
function assertBelongTogether(idToken: string, payload: JWTPayload, accessToken: string): void {
  const { at_hash: expected } = payload
  if (!accessToken || expected === undefined) return
  const bits = /(256|384|512)$/.exec(decodeProtectedHeader(idToken).alg ?? '')?.[1] ?? '512'
  const hash = createHash(`sha${bits}`).update(accessToken).digest()
  if (hash.subarray(0, hash.length / 2).toString('base64url') !== expected)
    throw new Error('the access token is not the one that the ID token names')
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}
