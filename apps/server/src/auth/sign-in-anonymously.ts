/**
 * Opens an account that is nobody's yet: no address, no phone, no provider, and so no way back once its session is lost.
 * It becomes an account like any other with the first of them.
 */
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Body } from './body.ts'
import { AuthError } from './errors.ts'
import { type LimitNeeds, takeToken } from './limits.ts'
import { sessionBody } from './sessions/session.ts'
import { type SessionNeeds, startSession } from './sessions/start-session.ts'
import type { Tokens } from './sessions/tokens.ts'
import type { Visitor } from './visitor.ts'

export interface AnonymousNeeds extends LimitNeeds, SessionNeeds {
  readonly tokens: Tokens
}

export async function signInAnonymously(needs: AnonymousNeeds, body: Body, visitor: Visitor) {
  if (!needs.settings.anonymous)
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  await takeToken(needs, 'anonymous', visitor.ip)
  if (!needs.settings.signUp)
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const id = newId()
  const user_metadata = JSON.stringify(body.object('data') ?? {})
  const opened = await inTransaction(needs.database.kysely, async tx => {
    await tx.insertInto('auth_user').values({ id, is_anonymous: true, user_metadata }).execute()
    return startSession(tx, needs, { userId: id, method: 'anonymous', visitor })
  })
  return sessionBody(needs, opened)
}
