/**
 * The keys that sign access tokens (ES256): one signs, the others only verify. They are rows, so a rotation is data:
 * add a standby key, wait until every client has read it (20 minutes), let it sign, and delete the old one once its
 * last token has expired. The first key is made on first need; when two processes make it at once, one wins and both
 * use that. Private halves are sealed.
 */
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { sql } from 'kysely'
import type { Database, Db } from '../db/database.ts'
import type { Vault } from '../vault.ts'

const algorithm = 'ES256'

export interface SigningKeys {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKeys: ReadonlyMap<string, CryptoKey>
  readonly jwks: { readonly keys: readonly JWK[] }
}

/** Makes a key and returns its id; null when it was to sign and another does already. */
export async function makeSigningKey(db: Db, vault: Vault, signs: boolean): Promise<string | null> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  const published = { ...publicJwk, alg: algorithm, kid, use: 'sig', key_ops: ['verify'] }
  const { rows } = await sql<{ kid: string }>`
    insert into auth_signing_key (kid, public_jwk, private_jwk_sealed, signs)
    values (${kid}, ${JSON.stringify(published)}, ${vault.seal(JSON.stringify(privateJwk), contextOf(kid))}, ${signs})
    on conflict (signs) where signs do nothing returning kid`.execute(db)
  return rows[0]?.kid ?? null
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
    privateKey: await importKey(privateJwk),
    publicKeys: new Map(publicKeys),
    jwks: { keys: rows.map(row => row.public_jwk as JWK) },
  }
}

const contextOf = (kid: string) => `signing-key:${kid}`

function openPrivateKey(vault: Vault, sealed: Buffer, kid: string): JWK {
  try {
    return JSON.parse(vault.open(sealed, contextOf(kid)).toString()) as JWK
  } catch (error) {
    throw new Error(
      'the key that signs access tokens was sealed with another secret: restore INGOT_SECRET or the secret file of the data folder',
      { cause: error },
    )
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, algorithm)) as CryptoKey
}
