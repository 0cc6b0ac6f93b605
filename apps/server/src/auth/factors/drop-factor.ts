import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { AlertNeeds } from '../letters/send-alert.ts'
import type { FactorView, UserRow } from '../queries.ts'
import { alertFactorRemoved } from './alerts.ts'
import type { FactorRow } from './queries.ts'

/** Drops a factor for whoever may: this room's own calls and an administrator's. The caller holds the user's lock. */
export async function dropFactor(
  tx: Tx,
  needs: AlertNeeds,
  owner: UserRow,
  factor: FactorRow,
): Promise<void> {
  for (const { id } of [factor, codesLeftAlone(owner, factor)].filter(each => each !== undefined)) {
    await tx.deleteFrom('auth_factor').where('id', '=', id).execute()
    await lowerSessions(tx, owner.id, id)
  }
  if (factor.status === 'verified') await alertFactorRemoved(tx, needs, owner, factor)
}

/** Lowers the sessions that a removed factor has raised: what it proved is proved no more. */
async function lowerSessions(tx: Tx, userId: string, factorId: string): Promise<void> {
  await sql`
    update auth_session s set amr = left_over.amr,
      aal = case when left_over.amr @? '$[*].factor_id' then 'aal2' else 'aal1' end
    from (
      select id, jsonb_path_query_array(amr, '$[*] ? (!(@.factor_id == $factor))', jsonb_build_object('factor', ${factorId}::text)) as amr
      from auth_session where user_id = ${userId}) left_over
    where s.id = left_over.id and s.amr <> left_over.amr`.execute(tx)
}

/** The recovery codes that would be left with no verified factor beside them. */
export function codesLeftAlone({ factors }: UserRow, removed: FactorRow): FactorView | undefined {
  const left = factors.filter(({ id, status }) => id !== removed.id && status === 'verified')
  return left.every(factor => factor.factor_type === 'recovery_code') ? left[0] : undefined
}
