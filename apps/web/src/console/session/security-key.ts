/**
 * Security keys and passkeys: the browser's part of a challenge. The client's own helper would offer keys that are
 * plugged in and no others; here the browser offers whatever it has.
 */
import { keyFailure, unexplained } from './auth-failure.ts'
import { auth } from './auth.tsx'

/** Why no key can be used here; null when one can. Browsers leave the whole thing out at an address without TLS. */
export const keysUnusable = (): string | null =>
  typeof PublicKeyCredential === 'undefined' || !navigator.credentials
    ? 'This browser cannot use security keys at this address. They need https.'
    : null

/** Answers a challenge of the factor, for the first time with a new key. Null when the service took it, else why not. */
export async function answerWithKey(factorId: string, signal: AbortSignal): Promise<string | null> {
  const unusable = keysUnusable()
  if (unusable) return unusable
  const rpId = location.hostname
  const { data, error } = await auth.mfa
    .challenge({ factorId, webauthn: { rpId, rpOrigins: [location.origin] } })
    .catch(() => ({ data: null, error: unexplained }))
  if (error) return keyFailure(error)
  const { type, credential_options: options } = data.webauthn
  const began = Date.now()
  let credential: Credential | null
  try {
    const request = { ...options, signal } as CredentialCreationOptions & CredentialRequestOptions
    credential = await navigator.credentials[type === 'create' ? 'create' : 'get'](request)
  } catch (thrown) {
    return browserFailure(thrown, Date.now() - began >= (options.publicKey.timeout ?? Infinity))
  }
  if (!credential) return browserFailure(null, false)
  const verified = await auth.mfa
    .verify({
      factorId,
      challengeId: data.id,
      webauthn: { type, rpId, credential_response: credential as never },
    })
    .catch(() => ({ data: null, error: unexplained }))
  return verified.error && keyFailure(verified.error)
}

const words: Readonly<Record<string, string>> = {
  NotAllowedError: 'Nothing was confirmed. Try again, and touch the key when the browser asks.',
  AbortError: 'Cancelled. Try again when you are ready.',
  InvalidStateError: 'This key is one of your factors already.',
  NotSupportedError: 'This key is of a kind that cannot be used here.',
  ConstraintError: 'This key is of a kind that cannot be used here.',
  SecurityError: 'Security keys belong to another address of this service. Open the console at that one.',
}

/** Browsers tell neither a refusal from a wrong key nor from the end of the time, so as to tell sites little. */
export function browserFailure(thrown: unknown, isLate: boolean): string {
  const name = thrown instanceof Error ? thrown.name : ''
  if (isLate && name === 'NotAllowedError') return 'This took too long. Try again.'
  return words[name] ?? 'The key could not be used. Try again, or use another way.'
}
