/** A user with a security key, for tests. */
import { newId } from '../../db/ids.ts'
import { type Answer, type SignedInClient, siteUrl } from './auth-server.ts'
import { callAs, refused, signedInAgain, useTestFactors } from './factors.ts'
import {
  createSecurityKey,
  type Credential,
  type Lies,
  type Options,
  type SecurityKey,
} from './security-key.ts'

export const wrongKey = refused(422, 'mfa_verification_failed', 'Failed to validate WebAuthn MFA response')

interface Asked {
  readonly id: string
  readonly expires_at: number
  readonly webauthn: { readonly type: string; readonly credential_options: { readonly publicKey: Options } }
}

export interface WithKey extends SignedInClient {
  readonly factorId: string
  readonly key: SecurityKey
}

/** Starts a service for the tests of this file, with the calls that make and use a security key. */
export function useTestKeys() {
  const { auth, remove } = useTestFactors()
  const enroll = async (token: string, friendly_name = 'key') =>
    (await callAs(auth, token, 'POST', '/factors', { factor_type: 'webauthn', friendly_name })).body[
      'id'
    ] as string

  async function ask(
    token: string,
    factorId: string,
    named = siteUrl,
  ): Promise<Asked & { publicKey: Options }> {
    const webauthn = { rpId: new URL(named).hostname, rpOrigins: [named] }
    const { body } = await callAs(auth, token, 'POST', `/factors/${factorId}/challenge`, {
      factorId,
      webauthn,
    })
    const asked = body as unknown as Asked
    return { ...asked, publicKey: asked.webauthn.credential_options.publicKey }
  }

  const answer = (
    token: string,
    factorId: string,
    challengeId: string,
    type: string,
    response: Credential | object,
    ip?: string,
  ): Promise<Answer> =>
    callAs(
      auth,
      token,
      'POST',
      `/factors/${factorId}/verify`,
      { challenge_id: challengeId, webauthn: { type, rpId: 'localhost', credential_response: response } },
      ip ? { 'x-forwarded-for': ip } : undefined,
    )

  /** Signed in at aal2 by a security key. */
  async function withKey(key = createSecurityKey(), user?: SignedInClient): Promise<WithKey> {
    const owner = user ?? (await auth.signedIn())
    const factorId = await enroll(owner.token, newId())
    const { id, publicKey } = await ask(owner.token, factorId)
    const { status, body } = await answer(owner.token, factorId, id, 'create', key.create(publicKey))
    if (status !== 200) throw new Error(`the key was refused: ${JSON.stringify(body)}`)
    return { ...owner, token: String(body['access_token']), factorId, key }
  }

  /** One try of the second step in a new session. */
  async function trySignIn(user: WithKey, lies?: Lies, key = user.key) {
    const { token } = await signedInAgain(auth, user)
    const { id, publicKey } = await ask(token, user.factorId)
    return answer(token, user.factorId, id, 'request', key.get(publicKey, lies))
  }
  return { auth, remove, enroll, ask, answer, withKey, trySignIn }
}
