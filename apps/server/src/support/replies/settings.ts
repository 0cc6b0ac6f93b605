/** Whether automated replies are written, and what came of them. */
import { IngotError } from '@ingot/contracts/errors'
import type { AiSettings } from '@ingot/contracts/support/ai-replies'
import { sql } from 'kysely'
import type { AiConfig } from '../../config/ai-variables.ts'
import { appendAuditAnyway } from '../../db/audit-log.ts'
import type { Db, Tx } from '../../db/database.ts'

const countedDays = 30
/** There is one row, and the audit log wants a name for it. */
const subjectId = '01980000-0000-7000-8000-0000000000a1'

interface Row {
  readonly enabled: boolean
  readonly force_enabled: boolean
  readonly updated_by: string | null
  readonly updated_by_email: string | null
  readonly updated_at: string | null
}

export async function getAiSettings(db: Db | Tx, ai: AiConfig, at: string): Promise<AiSettings> {
  const { rows } = await sql<Row & { counts: AiSettings['counts'] }>`
    select s.enabled, s.force_enabled, s.updated_by, u.email as updated_by_email, s.updated_at, (
      select jsonb_build_object(
        'answered', count(*) filter (where outcome in ('answered', 'unknown')),
        'by_model', count(*) filter (where writer = 'model' and outcome = 'answered'),
        'unknown', count(*) filter (where outcome = 'unknown'),
        'handed_over', count(*) filter (where outcome in ('handed_over', 'limited')),
        'refused', count(*) filter (where refused is not null))
      from support_replies where ended_at > ${at}::timestamptz - ${countedDays} * interval '1 day') as counts
    from ai_reply_settings s left join auth_user u on u.id = s.updated_by`.execute(db)
  const row = rows[0]!
  return {
    ...row,
    mode: row.force_enabled ? 'override' : row.enabled ? 'smart' : 'off',
    writer: ai.model ? 'model' : 'facts',
    model: ai.model?.name ?? null,
    model_host: ai.model?.host ?? null,
  }
}

export async function setAiSettings(
  tx: Tx,
  { enabled, force_enabled }: { readonly enabled: boolean; readonly force_enabled?: boolean },
  { by, at }: { readonly by: string; readonly at: string },
): Promise<void> {
  if (force_enabled && !enabled)
    throw new IngotError('validation_failed', {
      fields: { force_enabled: 'can be on only while automated replies are enabled' },
    })
  const { rows } = await sql<Pick<Row, 'enabled' | 'force_enabled'>>`
    select enabled, force_enabled from ai_reply_settings for no key update`.execute(tx)
  const before = rows[0]!
  const after = { enabled, force_enabled: enabled && (force_enabled ?? before.force_enabled) }
  await sql`update ai_reply_settings set enabled = ${after.enabled}, force_enabled = ${after.force_enabled},
    updated_by = ${by}, updated_at = ${at}`.execute(tx)
  await appendAuditAnyway(tx, { kind: 'ai_settings', id: subjectId, userId: null, before, after })
}

/** What a customer is told before they write. */
export async function getAutomated(
  db: Db,
  { model }: AiConfig,
): Promise<{ automated: 'off' | 'facts' | 'model'; model_host: string | null }> {
  const row = await db.selectFrom('ai_reply_settings').select('enabled').executeTakeFirst()
  if (!row?.enabled) return { automated: 'off', model_host: null }
  return { automated: model ? 'model' : 'facts', model_host: model?.host ?? null }
}
