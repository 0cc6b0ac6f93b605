/** Begins, changes or ends maintenance: one row, which every server reads again at once. */
import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import type { announcements, Maintenance } from '@ingot/contracts/site/announcements'
import { appendAudit, giveReason } from '../../db/audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { getMaintenance } from './queries.ts'

/** The audit log names what an entry is about by an id; there is one maintenance. */
export const maintenanceId = '00000000-0000-7000-8000-000000000001'

export async function setMaintenance(
  tx: Tx,
  at: string,
  input: Parsed<typeof announcements.setMaintenance>,
  by: string,
): Promise<Maintenance> {
  await tx.selectFrom('site_maintenance').select('one').forNoKeyUpdate().execute()
  const former = await getMaintenance(tx)
  const text = input.text ?? (input.is_on ? undefined : former.text)
  if (text === undefined)
    throw new IngotError('validation_failed', { fields: { text: 'is required to begin maintenance' } })
  const planned_end = input.is_on && input.planned_end ? new Date(input.planned_end).toISOString() : null
  if (planned_end !== null && planned_end <= at)
    throw new IngotError('validation_failed', { fields: { planned_end: 'has passed' } })
  const next = {
    is_on: input.is_on,
    text,
    reason: input.reason,
    planned_end,
    // Its text or end may change while it goes on: it began when it was switched on.
    changed_at: former.is_on && input.is_on ? former.changed_at : at,
    changed_by: by,
  }
  await tx.updateTable('site_maintenance').set(next).execute()
  await giveReason(tx, input.reason)
  await appendAudit(tx, {
    kind: 'maintenance',
    id: maintenanceId,
    userId: null,
    before: { is_on: former.is_on, text: former.text, planned_end: former.planned_end },
    after: { is_on: next.is_on, text, planned_end },
  })
  return getMaintenance(tx)
}
