/** Begins a rotation, unless one is under way: the new key stands by, published, until every client has read it. */
import { type Database, inTransaction } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { findStandbyKey, lockSigningKeys, standbySeconds } from './queries.ts'

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
