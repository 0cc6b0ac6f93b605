/** A user with an authenticator app, for tests. */
import { Secret, TOTP } from 'otpauth'
import { type Answer, apiVersion, type SignedInClient, type TestAuth, useTestAuth } from './auth-server.ts'

/** What the app shows, some 30 s steps from now. */
export const codeOf = (secret: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 })

export const wrongCode = (secret: string): string =>
  ['000000', '111111', '222222', '333333'].find(
    code => ![-2, -1, 0, 1, 2].some(steps => codeOf(secret, steps) === code),
  )!

export interface WithTotp extends SignedInClient {
  readonly factorId: string
  readonly secret: string
}

/** Signed in at aal2 by a verified app. The app's next code is that of the next step. */
export async function withTotp(auth: TestAuth): Promise<WithTotp> {
  const user = await auth.signedIn()
  const { data } = await user.client.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  if (data?.type !== 'totp') throw new Error('no TOTP factor')
  const { error } = await user.client.mfa.challengeAndVerify({
    factorId: data.id,
    code: codeOf(data.totp.secret),
  })
  if (error) throw error
  const { session } = (await user.client.getSession()).data
  return {
    ...user,
    token: session!.access_token,
    refreshToken: session!.refresh_token,
    factorId: data.id,
    secret: data.totp.secret,
  }
}

/** The same user once more, at aal1. */
export async function signedInAgain(auth: TestAuth, { id, email, password }: SignedInClient) {
  const client = auth.client()
  const { access_token: token, refresh_token: refreshToken } = (
    await client.signInWithPassword({ email, password })
  ).data.session!
  return { client, id, email, password, token, refreshToken } satisfies SignedInClient
}

/** A call to the service as the holder of `token`, with its error told by code. */
export const callAs = (
  auth: TestAuth,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> => auth.call(method, path, { token, body, headers: { ...apiVersion, ...headers } })

/** What a refusal answers; without `message` any text will do. */
export const refused = (status: number, code: string, message?: string) => ({
  status,
  body: { code, ...(message ? { message } : {}) },
})

/** Starts a service for the tests of this file, with the calls that make, use and remove a factor. */
export function useTestFactors() {
  const auth = useTestAuth()
  const enroll = (token: string, body: object = {}) =>
    callAs(auth, token, 'POST', '/factors', { factor_type: 'totp', ...body })
  const challenge = async (token: string, factorId: string, ip?: string) => {
    const headers = ip ? { 'x-forwarded-for': ip } : undefined
    return (await callAs(auth, token, 'POST', `/factors/${factorId}/challenge`, { factorId }, headers)).body[
      'id'
    ]
  }
  const verify = (token: string, factorId: string, challenge_id: unknown, code: string, ip?: string) =>
    callAs(
      auth,
      token,
      'POST',
      `/factors/${factorId}/verify`,
      { challenge_id, code },
      ip ? { 'x-forwarded-for': ip } : undefined,
    )
  const remove = (token: string, factorId: string) => callAs(auth, token, 'DELETE', `/factors/${factorId}`)
  return { auth, enroll, challenge, verify, remove }
}
