import type { Inquiry } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { getInquiry } from './queries.ts'

/** After this nobody answers it any more. Repeating it changes nothing. */
export async function closeInquiry(tx: Tx, id: string): Promise<Inquiry> {
  await sql`
    update site_inquiry set status = 'closed', closed_at = now() where id = ${id} and status <> 'closed'`.execute(
    tx,
  )
  return getInquiry(tx, id)
}
