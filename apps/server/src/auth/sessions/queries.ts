/** Reads of sessions. */
import type { Database } from '../../db/database.ts'
import { userColumnsText, type UserRow } from '../queries.ts'
import type { SessionClaims } from './tokens.ts'

export interface SignedIn {
  readonly user: UserRow
  /** Null when it has ended. */
  readonly session: SessionClaims | null
}

const signedIn = `
  select ${userColumnsText},
    case when s.id is not null then json_build_object('id', s.id, 'aal', s.aal, 'amr', s.amr) end as session
  from auth_user u left join auth_session s on s.id = $2 and s.user_id = u.id and s.superseded_at is null
  where u.id = $1`

/** A user and one session of theirs, in one query: what every call of a signed-in user begins with. */
export async function findSignedIn(
  { pool }: Pick<Database, 'pool'>,
  userId: string,
  sessionId: string,
): Promise<SignedIn | null> {
  const { rows } = await pool.query<UserRow & { session: SessionClaims | null }>({
    name: 'auth.find-signed-in',
    text: signedIn,
    values: [userId, sessionId],
  })
  if (!rows[0]) return null
  const { session, ...user } = rows[0]
  return { user, session }
}
