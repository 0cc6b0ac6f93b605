/** Carries rotations on: lets the standby key sign, drops old keys, begins the next rotation when it is due. */
import { sql } from 'kysely'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { findStandbyKey, lockSigningKeys } from './queries.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'

/** A process that has not read the keys again yet signs with the old one a little longer. */
const marginSeconds = 300

/** Does what has become due in real time. Anybody may run it, however often. */
export async function advanceSigningKeys(
  database: Database,
  vault: Vault,
  { days, tokenSeconds }: { readonly days: number; readonly tokenSeconds: number },
): Promise<void> {
  const due = await inTransaction(database.kysely, async tx => {
    await lockSigningKeys(tx)
    await sql`
      delete from auth_signing_key
      where signs_until < now() - ${tokenSeconds + marginSeconds} * interval '1 second'`.execute(tx)
    const standby = await findStandbyKey(tx)
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

async function letSign(tx: Tx, kid: string): Promise<void> {
  await sql`update auth_signing_key set signs = false, signs_until = now() where signs`.execute(tx)
  await sql`update auth_signing_key set signs = true, signs_from = now() where kid = ${kid}`.execute(tx)
}
