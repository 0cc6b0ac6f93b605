/**
 * Checks what a security key answered to a challenge: the challenge's nonce, this origin and host, a touch, the
 * signature, and a counter that only rises. A counter that stands still or falls is a copy of the key. Null is no.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import type { KeyRow } from '../queries.ts'
import { algorithms } from './present-challenge.ts'
import type { KeyAnswer } from './read-answer.ts'
import type { RelyingParty } from './relying-party.ts'

export interface Expected {
  readonly nonce: Buffer
  readonly relyingParty: RelyingParty
  /** Null while the factor has none. */
  readonly key: KeyRow | null
}

export async function checkAnswer(answer: KeyAnswer, expected: Expected): Promise<KeyRow | null> {
  try {
    if (answer.type === 'create') return await checkNew(answer, expected)
    return expected.key && (await checkKnown(answer, expected, expected.key))
  } catch {
    // The library throws for each thing that is wrong with an answer, and for what it cannot read at all.
    return null
  }
}

const common = ({ nonce, relyingParty }: Expected) => ({
  expectedChallenge: nonce.toString('base64url'),
  expectedOrigin: relyingParty.origin,
  expectedRPID: relyingParty.id,
  requireUserVerification: false,
})

async function checkNew(
  { response, transports }: Extract<KeyAnswer, { type: 'create' }>,
  expected: Expected,
): Promise<KeyRow | null> {
  if (hasCertificates(response.response.attestationObject)) return null
  const { registrationInfo: made } = await verifyRegistrationResponse({
    ...common(expected),
    response,
    supportedAlgorithmIDs: algorithms,
  })
  // A caller's own word for the id would let one key be added under many.
  if (!made || made.credential.id !== response.id) return null
  return {
    credential_id: Buffer.from(made.credential.id, 'base64url'),
    public_key: Buffer.from(made.credential.publicKey),
    sign_count: BigInt(made.credential.counter),
    transports,
  }
}

/**
 * Nobody asked for certificates, and browsers then leave them out. Checking them takes lists of revoked ones from their
 * makers' servers, and no transaction waits for the network.
 */
function hasCertificates(attestationObject: string): boolean {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = attestation.get('fmt')
  return format !== 'none' && (format !== 'packed' || Boolean(attestation.get('attStmt').get('x5c')))
}

async function checkKnown(
  { response }: Extract<KeyAnswer, { type: 'request' }>,
  expected: Expected,
  key: KeyRow,
): Promise<KeyRow | null> {
  const id = key.credential_id.toString('base64url')
  if (response.id !== id) return null
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...common(expected),
    response,
    credential: { id, publicKey: new Uint8Array(key.public_key), counter: Number(key.sign_count) },
  })
  return verified ? { ...key, sign_count: BigInt(authenticationInfo.newCounter) } : null
}
