import type { Inquiry } from '@ingot/contracts/site'
import { sql } from 'kysely'
import { appendAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { getInquiry } from './queries.ts'

/** After this nobody answers it any more. Repeating it changes nothing. */
export async function closeInquiry(tx: Tx, id: string): Promise<Inquiry> {
  const { status } = await getInquiry(tx, id)
  await sql`
    update site_inquiry set status = 'closed', closed_at = now() where id = ${id} and status <> 'closed'`.execute(
    tx,
  )
  await appendAudit(tx, {
    kind: 'inquiry',
    id,
    userId: null,
    before: { status },
    after: { status: 'closed' },
  })
  return getInquiry(tx, id)
}
