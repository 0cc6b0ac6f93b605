/**
 * The keys that sign access tokens (ES256): one signs, the others only verify. They are rows, so a rotation is data:
 * `rotateSigningKey` adds a standby key, which is published at once; `advanceSigningKeys` lets it sign when every
 * client has read it, and deletes the old one when its last token has expired. The first key is made on first need;
 * when two processes make it at once, one wins and both use that. Private halves are sealed.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type CryptoKey, importJWK, type JWK } from 'jose'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { makeSigningKey, signingAlgorithm, signingKeyContext } from './make-signing-key.ts'

export interface SigningKeys {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKeys: ReadonlyMap<string, CryptoKey>
  readonly jwks: { readonly keys: readonly JWK[] }
}

export async function loadSigningKeys({ kysely: db }: Database, vault: Vault): Promise<SigningKeys> {
  const read = () =>
    db.selectFrom('auth_signing_key').selectAll().orderBy('created_at').orderBy('kid').execute()
  let rows = await read()
  if (!rows.some(row => row.signs)) {
    await makeSigningKey(db, vault, true)
    rows = await read()
  }
  const signing = rows.find(row => row.signs)!
  const privateJwk = openPrivateKey(vault, signing.private_jwk_sealed, signing.kid)
  const publicKeys = await Promise.all(
    rows.map(async row => [row.kid, await importKey(row.public_jwk as JWK)] as const),
  )
  return {
    kid: signing.kid,
    privateKey: createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' }),
    publicKeys: new Map(publicKeys),
    jwks: { keys: rows.map(row => row.public_jwk as JWK) },
  }
}

function openPrivateKey(vault: Vault, sealed: Buffer, kid: string): JWK {
  try {
    return JSON.parse(vault.open(sealed, signingKeyContext(kid)).toString()) as JWK
  } catch (error) {
    throw new Error(
      'the key that signs access tokens was sealed with another secret: restore INGOT_SECRET or the secret file of the data folder',
      { cause: error },
    )
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, signingAlgorithm)) as CryptoKey
}
