/** Makes a key that signs access tokens. Its private half lies sealed. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'

export const signingAlgorithm = 'ES256'

/** Makes a key and returns its id; null when it was to sign and another does already. */
export async function makeSigningKey(db: Db | Tx, vault: Vault, signs: boolean): Promise<string | null> {
  const pair = await generateKeyPair(signingAlgorithm, { extractable: true })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  const published = { ...publicJwk, alg: signingAlgorithm, kid, use: 'sig', key_ops: ['verify'] }
  const { rows } = await sql<{ kid: string }>`
    insert into auth_signing_key (kid, public_jwk, private_jwk_sealed, signs, signs_from)
    values (${kid}, ${JSON.stringify(published)}, ${vault.seal(JSON.stringify(privateJwk), signingKeyContext(kid))}, ${signs},
      case when ${signs} then now() end)
    on conflict (signs) where signs do nothing returning kid`.execute(db)
  return rows[0]?.kid ?? null
}

export const signingKeyContext = (kid: string) => `signing-key:${kid}`
