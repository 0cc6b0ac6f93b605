/** Ends what is connected once its key, its password, its instance's run or its owner's account is over. */
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { createWatched, type Watched } from '../../http/watched.ts'
import type { Entry } from './sign-in.ts'

const standing = `
  select o.at::int as at, i.status = 'running' as runs
  from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality o(instance_id, key_id, mark, at)
  join gpu_instances i on i.id = o.instance_id and i.desired <> 'deleted'
  join auth_user u on u.id = i.user_id and u.deleted_at is null and not coalesce(u.banned_until > now(), false)
  left join ssh_key k on k.id = o.key_id and k.user_id = i.user_id
  where case when o.key_id is null then encode(sha256(i.ssh_password_sealed), 'hex') = o.mark
    else k.id is not null and (i.ssh_key_ids is null or k.id = any(i.ssh_key_ids)) end`

/** Of each that may be connected, whether its instance runs. */
export async function standingOf(
  { pool }: Database,
  entries: readonly Entry[],
): Promise<Map<Entry | undefined, boolean>> {
  const { rows } = await pool.query<{ at: number; runs: boolean }>({
    name: 'instances.ssh-standing',
    text: standing,
    values: [
      entries.map(entry => entry.instanceId),
      entries.map(entry => entry.keyId),
      entries.map(entry => entry.passwordMark),
    ],
  })
  return new Map(rows.map(({ at, runs }) => [entries[at - 1], runs]))
}

export const watchEntries = (database: Database, log: Logger): Watched<Entry> =>
  createWatched<Entry>(async entries => {
    const found = await standingOf(database, entries)
    return entry => {
      const runs = found.get(entry)
      if (runs === undefined) return 'You may not be connected any more.'
      return runs ? null : `The instance ${entry.name} has stopped.`
    }
  }, log)
