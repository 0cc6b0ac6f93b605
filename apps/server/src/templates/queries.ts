/** Every read of templates. Somebody else's private one does not exist. */
import { IngotError } from '@ingot/contracts/errors'
import type { Template, TemplateCategory, TemplateDetails } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { startCommandOf } from './template-values.ts'

const shown = [
  'id',
  'name',
  'description',
  'category',
  'docker_image',
  'features',
  'popular',
  'is_public',
  'created_at',
] as const

/** All that anybody may deploy from, newest first. */
export async function listTemplates(db: Db): Promise<Template[]> {
  const rows = await newestFirst(db).where('is_public', '=', true).execute()
  return rows.map(asTemplate)
}

/** Public or not. */
export async function listOwnTemplates(db: Db, userId: string): Promise<Template[]> {
  const rows = await newestFirst(db).where('owner', '=', userId).execute()
  return rows.map(asTemplate)
}

const newestFirst = (db: Db) =>
  db
    .selectFrom('gpu_templates')
    .select([...shown, 'link_key', 'origin'])
    .orderBy('created_at', 'desc')
    .orderBy('id')

interface Row extends Omit<Template, 'category' | 'visibility' | 'is_community'> {
  readonly category: string
  readonly link_key: string | null
  readonly origin: string | null
}

const asTemplate = ({ link_key, origin, ...row }: Row): Template => ({
  ...row,
  is_community: origin !== null,
  category: row.category as TemplateCategory,
  visibility: row.is_public ? 'public' : link_key === null ? 'private' : 'link',
})

/** A public one, one's own, or one that is shared by this key. */
export const visibleTemplate = (db: Db | Tx, userId: string, id: string, key: string | undefined) =>
  db
    .selectFrom('gpu_templates')
    .where('id', '=', id)
    .where(({ eb, or }) =>
      or([
        eb('is_public', '=', true),
        eb('owner', '=', userId),
        ...(key === undefined ? [] : [eb('link_key', '=', key)]),
      ]),
    )

export async function getTemplate(
  db: Db | Tx,
  userId: string,
  id: string,
  key?: string,
): Promise<TemplateDetails> {
  const row = await visibleTemplate(db, userId, id, key)
    .select([
      ...shown,
      'link_key',
      'origin',
      'owner',
      'env',
      'secret_names',
      'ports',
      'command',
      'disk_gb',
      'readme',
    ])
    .select(({ eb }) => eb('registry_credentials', 'is not', null).as('has_registry_credentials'))
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  const { owner, command, ...rest } = row
  const is_mine = owner === userId
  const own = is_mine ? await ownReview(db, id) : null
  return {
    ...asTemplate(rest),
    is_mine,
    env: row.env,
    secret_names: row.secret_names,
    has_registry_credentials: Boolean(row.has_registry_credentials),
    ports: row.ports,
    start_command: startCommandOf(command),
    disk_gb: row.disk_gb,
    readme: row.readme,
    share_key: is_mine ? row.link_key : null,
    review: own?.review ?? null,
    public_id: own?.public_id ?? null,
  }
}

/** What became of the last proposal, and what is public. */
async function ownReview(
  db: Db | Tx,
  id: string,
): Promise<Pick<TemplateDetails, 'review' | 'public_id'> | undefined> {
  const { rows } = await sql<Pick<TemplateDetails, 'review' | 'public_id'>>`
    select (select id from gpu_templates where origin = ${id}) as public_id, (
      select jsonb_build_object('id', id, 'version', version, 'status', status, 'reason', reason,
        'proposed_at', ${iso('created_at')}, 'decided_at', ${iso('decided_at')})
      from template_review where template_id = ${id} order by version desc limit 1) as review`.execute(db)
  return rows[0]
}

/** Within JSON nothing converts a time. */
const iso = (column: 'created_at' | 'decided_at') =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
