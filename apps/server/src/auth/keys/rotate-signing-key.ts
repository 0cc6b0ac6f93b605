/** Begins a rotation, unless one is under way: the new key stands by, published, until every client has read it. */
import { sql } from 'kysely'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { makeSigningKey } from './make-signing-key.ts'

/** Clients keep the published keys for ten minutes, and this service's processes for one. */
const standbySeconds = 1_200

/** The id of the key that stands by, and when it may sign. */
export async function rotateSigningKey(
  { kysely: db }: Database,
  vault: Vault,
): Promise<{ kid: string; signsFrom: Date }> {
  return inTransaction(db, async tx => {
    await lockSigningKeys(tx)
    if (!(await findStandbyKey(tx))) await makeSigningKey(tx, vault, false)
    const { kid, created_at } = (await findStandbyKey(tx))!
    return { kid, signsFrom: new Date(Date.parse(created_at) + standbySeconds * 1000) }
  })
}

/** Readers go on; whoever else changes keys waits. */
export const lockSigningKeys = (tx: Tx) =>
  sql`lock table auth_signing_key in share row exclusive mode`.execute(tx)

export async function findStandbyKey(
  tx: Tx,
): Promise<{ kid: string; created_at: string; ripe: boolean } | undefined> {
  const { rows } = await sql<{ kid: string; created_at: string; ripe: boolean }>`
    select kid, created_at, created_at <= now() - ${standbySeconds} * interval '1 second' as ripe
    from auth_signing_key where not signs and signs_from is null order by created_at, kid limit 1`.execute(tx)
  return rows[0]
}
