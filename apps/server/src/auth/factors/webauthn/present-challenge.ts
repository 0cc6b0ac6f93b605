/**
 * What a browser asks a security key: to make a key pair while the factor is unverified, later to sign with it. Somebody
 * has to touch the key; a PIN or fingerprint is welcome and not required, since the password is the other factor. Who
 * made the key is not asked: nothing would be decided by it.
 */
import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server'
import { COSEALG } from '@simplewebauthn/server/helpers'
import type { UserRow } from '../../queries.ts'
import type { KeyRow } from '../queries.ts'
import type { RelyingParty } from './relying-party.ts'

/** What every key can do. ML-DSA, which the library would add, makes answers that are many times larger. */
export const algorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256]

export interface Asked {
  readonly user: UserRow
  readonly nonce: Buffer
  readonly relyingParty: RelyingParty
  readonly timeout: number
  /** The factor's own, or null while it has none. */
  readonly key: KeyRow | null
  /** The user's other keys, which are not to be added twice. */
  readonly others: readonly KeyRow[]
}

export async function presentChallenge({ user, nonce, relyingParty, timeout, key, others }: Asked) {
  const challenge = new Uint8Array(nonce)
  if (key) {
    const publicKey = await generateAuthenticationOptions({
      rpID: relyingParty.id,
      challenge,
      timeout,
      allowCredentials: [descriptor(key)],
      userVerification: 'preferred',
    })
    return { type: 'request', credential_options: { publicKey } }
  }
  const name = user.email ?? user.phone ?? user.id
  const publicKey = await generateRegistrationOptions({
    rpName: 'Ingot',
    rpID: relyingParty.id,
    challenge,
    timeout,
    userID: new Uint8Array(Buffer.from(user.id.replaceAll('-', ''), 'hex')),
    userName: name,
    userDisplayName: name,
    attestationType: 'none',
    excludeCredentials: others.map(descriptor),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    supportedAlgorithmIDs: algorithms,
  })
  return { type: 'create', credential_options: { publicKey } }
}

const descriptor = ({ credential_id: id, transports }: KeyRow) => ({
  id: id.toString('base64url'),
  transports: [...transports],
})
