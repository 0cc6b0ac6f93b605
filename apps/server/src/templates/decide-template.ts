/**
 * Staff approve what was proposed, or reject it, also after they had approved it. What is approved becomes a template of
 * nobody's with an id of its own, made of the proposal alone: nothing sealed is in it, and no later change of the original
 * comes into it. The next approval changes that one, so its id stays.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { ProposedTemplate, ReviewEntry } from '@ingot/contracts/admin/template-reviews'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../db/audit-log.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { getReview } from './reviews.ts'
import { commandOf } from './template-values.ts'

interface Decision {
  readonly id: string
  /** Null: it is approved. */
  readonly reason: string | null
}

export async function decideTemplate(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  { id, reason }: Decision,
  by: string,
): Promise<ReviewEntry> {
  const found = await tx
    .selectFrom('template_review')
    .select('template_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!found) throw new IngotError('not_found')
  // Its author locks the template first too.
  const template = await tx
    .selectFrom('gpu_templates')
    .select('id')
    .where('id', '=', found.template_id)
    .forUpdate()
    .executeTakeFirst()
  const review = await tx
    .selectFrom('template_review')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!template || !review) throw new IngotError('not_found')
  const isPublished = review.status === 'approved'
  if (review.status !== 'pending' && !(reason !== null && isPublished))
    throw new IngotError('invalid_state', { message: `It is ${review.status} already.` })
  const at = clock.iso()
  const status = reason === null ? 'approved' : 'rejected'
  if (reason !== null) await giveReason(tx, reason.trim())
  await appendAudit(tx, {
    kind: 'template',
    id: review.template_id,
    userId: review.user_id,
    before: { status: review.status },
    after: { status, version: review.version, name: review.proposed.name },
  })
  if (status === 'approved') {
    // The one before is not what is public any more.
    await tx
      .updateTable('template_review')
      .set({ status: 'replaced', decided_at: at })
      .where('template_id', '=', review.template_id)
      .where('status', '=', 'approved')
      .execute()
    await publish(tx, review.template_id, review.proposed)
  } else if (isPublished)
    await tx.deleteFrom('gpu_templates').where('origin', '=', review.template_id).execute()
  await tx
    .updateTable('template_review')
    .set({ status, reason: reason?.trim() ?? null, decided_by: by, decided_at: at })
    .where('id', '=', id)
    .execute()
  const { name } = review.proposed
  await appendEvent(tx, {
    userId: review.user_id,
    type: `template.${status}`,
    subjectId: review.template_id,
    at,
    data: { name, message: reason === null ? name : `${name}: ${reason.trim()}` },
  })
  const item = JSON.stringify({ at, name, status, was_public: isPublished, reason: reason?.trim() ?? null })
  await sql`select queue_notice(${review.user_id}, 'template_reviewed', 'mail', ${item}::jsonb)`.execute(tx)
  return getReview(tx, id)
}

async function publish(tx: Tx, origin: string, proposed: ProposedTemplate): Promise<void> {
  const { start_command, env, ...shown } = proposed
  const values = { ...shown, env: JSON.stringify(env), command: commandOf(start_command) }
  const updated = await tx
    .updateTable('gpu_templates')
    .set(values)
    .where('origin', '=', origin)
    .executeTakeFirst()
  if (updated.numUpdatedRows > 0n) return
  await tx
    .insertInto('gpu_templates')
    .values({ ...values, id: newId(), origin, owner: null, is_public: true })
    .execute()
}
