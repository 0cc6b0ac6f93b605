/**
 * The keys that sign access tokens (ES256): one signs, the others only verify. They are rows, so a rotation is data:
 * `rotateSigningKey` adds a standby key, which is published at once; `advanceSigningKeys` lets it sign when every client
 * has read it, and deletes the old one when its last token has expired. The first key is made on first need; when two
 * processes make it at once, one wins and both use that. Private halves are sealed.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { sql } from 'kysely'
import { type Database, type Db, inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'

const algorithm = 'ES256'
/** Clients keep the published keys for ten minutes, and this service's processes for one. */
const standbySeconds = 1_200
/** A process that has not read the keys again yet signs with the old one a little longer. */
const marginSeconds = 300

export interface SigningKeys {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKeys: ReadonlyMap<string, CryptoKey>
  readonly jwks: { readonly keys: readonly JWK[] }
}

/** Makes a key and returns its id; null when it was to sign and another does already. */
export async function makeSigningKey(db: Db | Tx, vault: Vault, signs: boolean): Promise<string | null> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  const published = { ...publicJwk, alg: algorithm, kid, use: 'sig', key_ops: ['verify'] }
  const { rows } = await sql<{ kid: string }>`
    insert into auth_signing_key (kid, public_jwk, private_jwk_sealed, signs, signs_from)
    values (${kid}, ${JSON.stringify(published)}, ${vault.seal(JSON.stringify(privateJwk), contextOf(kid))}, ${signs},
      case when ${signs} then now() end)
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
    privateKey: createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' }),
    publicKeys: new Map(publicKeys),
    jwks: { keys: rows.map(row => row.public_jwk as JWK) },
  }
}

/** Begins a rotation, unless one is under way. The id of the key that stands by, and when it may sign. */
export async function rotateSigningKey(
  { kysely: db }: Database,
  vault: Vault,
): Promise<{ kid: string; signsFrom: Date }> {
  return inTransaction(db, async tx => {
    await lockKeys(tx)
    if (!(await findStandby(tx))) await makeSigningKey(tx, vault, false)
    const { kid, created_at } = (await findStandby(tx))!
    return { kid, signsFrom: new Date(Date.parse(created_at) + standbySeconds * 1000) }
  })
}

/** Does what has become due, in real time: whoever runs it, and however often. */
export async function advanceSigningKeys(
  database: Database,
  vault: Vault,
  { days, tokenSeconds }: { readonly days: number; readonly tokenSeconds: number },
): Promise<void> {
  const due = await inTransaction(database.kysely, async tx => {
    await lockKeys(tx)
    await sql`
      delete from auth_signing_key
      where signs_until < now() - ${tokenSeconds + marginSeconds} * interval '1 second'`.execute(tx)
    const standby = await findStandby(tx)
    if (standby?.ripe) await letSign(tx, standby.kid)
    if (standby) return false
    const { rows } = await sql`
      select 1 from auth_signing_key where signs and coalesce(signs_from, created_at) < now() - ${days} * interval '1 day'`.execute(
      tx,
    )
    return rows.length > 0
  })
  if (due) await rotateSigningKey(database, vault)
}

/** Readers go on; whoever else changes keys waits. */
const lockKeys = (tx: Tx) => sql`lock table auth_signing_key in share row exclusive mode`.execute(tx)

async function findStandby(tx: Tx): Promise<{ kid: string; created_at: string; ripe: boolean } | undefined> {
  const { rows } = await sql<{ kid: string; created_at: string; ripe: boolean }>`
    select kid, created_at, created_at <= now() - ${standbySeconds} * interval '1 second' as ripe
    from auth_signing_key where not signs and signs_from is null order by created_at, kid limit 1`.execute(tx)
  return rows[0]
}

async function letSign(tx: Tx, kid: string): Promise<void> {
  await sql`update auth_signing_key set signs = false, signs_until = now() where signs`.execute(tx)
  await sql`update auth_signing_key set signs = true, signs_from = now() where kid = ${kid}`.execute(tx)
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
