import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'

/** Lowers the sessions that a removed factor has raised: what it proved is proved no more. */
export async function lowerSessions(tx: Tx, userId: string, factorId: string): Promise<void> {
  await sql`
    update auth_session s set amr = left_over.amr,
      aal = case when left_over.amr @? '$[*].factor_id' then 'aal2' else 'aal1' end
    from (
      select id, jsonb_path_query_array(amr, '$[*] ? (!(@.factor_id == $factor))', jsonb_build_object('factor', ${factorId}::text)) as amr
      from auth_session where user_id = ${userId}) left_over
    where s.id = left_over.id and s.amr <> left_over.amr`.execute(tx)
}
