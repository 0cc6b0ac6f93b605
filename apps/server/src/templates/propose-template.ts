/**
 * A customer proposes a template for everybody, or takes that back. What is proposed is kept as it is at that moment, and
 * that is what staff read and approve: a change of the template afterwards is not in it.
 */
import { IngotError } from '@ingot/contracts/errors'
import { maxPendingReviews, type ProposedTemplate } from '@ingot/contracts/admin/template-reviews'
import { maxTemplates, type TemplateCategory, type TemplateDetails } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { getTemplate } from './queries.ts'
import { startCommandOf } from './template-values.ts'

/** Of all templates together; a day's proposals of one account. */
const mostADay = 20

export async function proposeTemplate(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<TemplateDetails> {
  // One at a time: they are counted.
  await tx.selectFrom('auth_user').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const row = await lockOwn(tx, userId, id)
  if (row.registry_credentials !== null)
    throw refused('Its image needs credentials, so nobody else could run it. Remove them first.')
  const { rows } = await sql<{ pending: number; today: number; version: number; is_pending: boolean }>`
    select count(*) filter (where status = 'pending')::int as pending,
      count(*) filter (where created_at > ${clock.iso()}::timestamptz - interval '1 day')::int as today,
      coalesce(max(version) filter (where template_id = ${id}), 0) + 1 as version,
      coalesce(bool_or(status = 'pending') filter (where template_id = ${id}), false) as is_pending
    from template_review where user_id = ${userId}`.execute(tx)
  const { pending, today, version, is_pending } = rows[0]!
  if (is_pending) throw refused('It is being reviewed. Withdraw that proposal to make another one.')
  if (pending >= maxPendingReviews)
    throw refused(`${maxPendingReviews} of your templates are being reviewed. Wait for one of them.`)
  if (today >= mostADay || version > maxTemplates * 10)
    throw refused('You have proposed often today. Propose it again tomorrow.')
  const at = clock.iso()
  const proposed: ProposedTemplate = {
    name: row.name,
    description: row.description,
    category: row.category as TemplateCategory,
    docker_image: row.docker_image,
    env: row.env,
    secret_names: row.secret_names,
    ports: row.ports,
    start_command: startCommandOf(row.command),
    disk_gb: row.disk_gb,
    readme: row.readme,
  }
  await tx
    .insertInto('template_review')
    .values({
      id: newId(),
      template_id: id,
      user_id: userId,
      version,
      proposed: JSON.stringify(proposed),
      created_at: at,
    })
    .execute()
  await tell(tx, userId, id, 'template.proposed', row.name, at)
  return getTemplate(tx, userId, id)
}

/** A proposal that waits is taken back, and what is public of the template is not any more. Instances run on. */
export async function withdrawTemplate(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<TemplateDetails> {
  const row = await lockOwn(tx, userId, id)
  const at = clock.iso()
  const taken = await tx
    .updateTable('template_review')
    .set({ status: 'withdrawn', decided_at: at })
    .where('template_id', '=', id)
    .where('status', 'in', ['pending', 'approved'])
    .executeTakeFirst()
  await tx.deleteFrom('gpu_templates').where('origin', '=', id).execute()
  if (taken.numUpdatedRows === 0n) throw refused('Nothing of it is proposed or public.')
  await tell(tx, userId, id, 'template.withdrawn', row.name, at)
  return getTemplate(tx, userId, id)
}

async function lockOwn(tx: Tx, userId: string, id: string) {
  const row = await tx
    .selectFrom('gpu_templates')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  return row
}

const refused = (message: string) => new IngotError('invalid_state', { message })

const tell = (
  tx: Tx,
  userId: string,
  subjectId: string,
  type: `template.${string}`,
  name: string,
  at: string,
) => appendEvent(tx, { userId, type, subjectId, at, data: { name, message: name } })
