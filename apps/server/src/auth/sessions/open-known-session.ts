/** Opens sessions of users who sign in by password with a device, and from a place, that they signed in with before. */
import { batchPer, column, columns } from '../../db/coalesce.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { userColumnsText, type UserRow } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import { describeDevice } from './device.ts'
import { newGrant, newSession, type Opened, type Opening } from './session.ts'

export interface KnownSessionNeeds {
  readonly database: Database
  readonly vault: Vault
  readonly settings: AuthSettings
}

/**
 * Skips users that somebody else changes, passwords that are no longer theirs, addresses with wrong tries, new devices,
 * and places that are new or were not noted for a month.
 */
const openAll = `
  with asked as materialized (
    select * from unnest(${columns('integer', 'uuid', 'text', 'text', 'text', 'uuid', 'jsonb', 'text', 'inet', 'text', 'text')})
      w (n, user_id, password_key, password_hash, device, session_id, amr, user_agent, ip, browser, network)),
  locked as materialized (
    select id, password_hash from auth_user where id = any(${column(2, 'uuid')}) for no key update skip locked),
  ready as materialized (
    select a.* from asked a join locked l on l.id = a.user_id
    where l.password_hash = a.password_hash
      and not exists (select from auth_failure f where f.key = a.password_key)
      and exists (select from auth_device d where d.user_id = a.user_id and d.device = a.device)
      and (select count(*) from auth_place p
        where p.user_id = a.user_id and p.place in (a.browser, a.network) and p.seen_at > now() - interval '30 days')
        = num_nonnulls(a.browser, a.network)),
  u as (
    update auth_user set last_sign_in_at = now(), updated_at = now() where id in (select user_id from ready) returning *),
  session as (
    insert into auth_session (id, user_id, amr, user_agent, ip)
    select r.session_id, u.id, r.amr, r.user_agent, r.ip from ready r join u on u.id = r.user_id)
  select r.n, ${userColumnsText} from ready r join u on u.id = r.user_id`

type ByPassword = Opening & Required<Pick<Opening, 'password'>>

const openTogether = batchPer(
  async (needs: KnownSessionNeeds, openings: readonly ByPassword[]): Promise<(Opened | null)[]> => {
    const sessions = openings.map(newSession)
    const each = (of: (opening: ByPassword) => unknown) => openings.map(of)
    const { rows } = await needs.database.pool.query<UserRow & { n: number }>({
      name: 'auth.open-sessions',
      text: openAll,
      values: [
        openings.map((_, n) => n),
        each(({ userId }) => userId),
        each(({ password }) => password.key),
        each(({ password }) => password.hash),
        each(({ visitor }) => describeDevice(visitor.userAgent).family),
        sessions.map(({ id }) => id),
        sessions.map(({ amr }) => JSON.stringify(amr)),
        each(({ visitor }) => visitor.userAgent),
        each(({ visitor }) => visitor.ip),
        each(({ visitor }) => visitor.places[0]),
        each(({ visitor }) => visitor.places[1]),
      ],
    })
    const opened: (Opened | null)[] = openings.map(() => null)
    for (const { n, ...user } of rows) {
      const { id, amr } = sessions[n]!
      opened[n] = { user, grant: newGrant(needs, id, amr) }
    }
    return opened
  },
)

/**
 * Opens the session of a usual sign-in by password, in one statement that those that arrive together share. Null: the
 * sign-in is not a usual one, nothing has happened, and `startSession` decides.
 */
export async function openKnownSession(
  needs: KnownSessionNeeds,
  opening: ByPassword,
): Promise<Opened | null> {
  return needs.settings.sessions.singlePerUser ? null : openTogether(needs, opening)
}
