/** Reads of the keys that sign access tokens, and the lock for whoever changes them. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'

/** Clients keep the published keys for ten minutes, and this service's processes for one. */
export const standbySeconds = 1_200

/** Readers go on; whoever else changes keys waits. */
export const lockSigningKeys = (tx: Tx) =>
  sql`lock table auth_signing_key in share row exclusive mode`.execute(tx)

/** `ripe`: it has stood by for long enough to sign. */
export async function findStandbyKey(
  tx: Tx,
): Promise<{ kid: string; created_at: string; ripe: boolean } | undefined> {
  const { rows } = await sql<{ kid: string; created_at: string; ripe: boolean }>`
    select kid, created_at, created_at <= now() - ${standbySeconds} * interval '1 second' as ripe
    from auth_signing_key where not signs and signs_from is null order by created_at, kid limit 1`.execute(tx)
  return rows[0]
}
