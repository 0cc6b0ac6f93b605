/** Opens a session and notes the sign-in on the user. */
import { CompiledQuery, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import type { AlertNeeds } from '../letters/send-alert.ts'
import { assertUnlocked } from '../lockouts.ts'
import { userColumnsText, type UserRow } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import { alertNewDevice } from './alert-new-device.ts'
import { describeDevice } from './device.ts'
import { newGrant, newSession, type Opened, type Opening } from './session.ts'

export interface SessionNeeds extends AlertNeeds {
  readonly settings: AuthSettings
}

/**
 * Not tagged: several parameters stand in it more than once. Not on the pool: it belongs to the caller's transaction,
 * so it has no name and no plan is kept.
 */
const open = `
  with cleared as materialized (
    select case when $7::text is null then 0 else auth_clear_failures($7) end as seconds),
  u as (
    update auth_user a set last_sign_in_at = now(), updated_at = now() from cleared
    where a.id = $1 and cleared.seconds = 0 and ($8::text is null or a.password_hash = $8) returning a.*),
  device as (
    insert into auth_device (user_id, device) select id, $2 from u
    where not exists (select from auth_device d where d.user_id = u.id and d.device = $2)
    on conflict do nothing returning 1),
  place as (
    insert into auth_place (user_id, place) select u.id, place from u, unnest($9::text[]) place where place is not null
    on conflict (user_id, place) do update set seen_at = now()),
  session as (
    insert into auth_session (id, user_id, amr, user_agent, ip) select $3, id, $4, $5, $6 from u)
  select cleared.seconds, ${userColumnsText},
    exists (select from device) and exists (select from auth_device d where d.user_id = u.id) as on_new_device
  from cleared left join u on true`

export async function startSession(tx: Tx, needs: SessionNeeds, opening: Opening): Promise<Opened> {
  const { userId, visitor, password } = opening
  const { id, amr } = newSession(opening)
  const { family } = describeDevice(visitor.userAgent)
  const { userAgent, ip, places } = visitor
  const amrText = JSON.stringify(amr)
  const values = [userId, family, id, amrText, userAgent, ip, password?.key, password?.hash, places]
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(open, values) as CompiledQuery<UserRow & { seconds: number; on_new_device: boolean }>,
  )
  const { seconds, on_new_device: onNewDevice, ...user } = rows[0]!
  assertUnlocked(seconds)
  if (!user.id) throw password ? wrongPassword() : new AuthError(403, 'user_not_found', 'User does not exist')
  if (onNewDevice) await alertNewDevice(tx, needs, userId, visitor)
  if (needs.settings.sessions.singlePerUser) await keepNewestSession(tx, userId)
  return { user, grant: newGrant(needs, id, amr) }
}

/** The others stay as rows for a while, so that a refresh of theirs is told why it is refused. */
async function keepNewestSession(tx: Tx | Db, userId: string): Promise<void> {
  await sql`
    update auth_session set superseded_at = now()
    where user_id = ${userId} and superseded_at is null
      and id <> (select id from auth_session where user_id = ${userId} order by id desc limit 1)`.execute(tx)
  await sql`
    delete from auth_session where user_id = ${userId} and superseded_at < now() - interval '30 days'`.execute(
    tx,
  )
}

export const wrongPassword = (): AuthError =>
  new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
