import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Challenge } from '../codes/pkce.ts'
import { AuthError } from '../errors.ts'
import { type Flow, flowContext, stateHash } from './flows.ts'

interface FlowRow {
  provider: string
  redirect_to: string
  code_challenge: string | null
  code_challenge_method: Challenge['method'] | null
  verifier_sealed: Buffer
  nonce: string
  link_session_id: string | null
  link_user_id: string | null
  invited_user_id: string | null
  expired: boolean
  used: boolean
}

/** Takes the flow, whatever comes of it. A refusal is returned with the place to tell it, where that is known. */
export async function takeFlow(
  { database, vault }: { database: Database; vault: Vault },
  state: string,
): Promise<{ flow: Flow } | { refusal: AuthError; redirectTo: string | null }> {
  const hash = stateHash(state)
  const { rows } = await sql<FlowRow>`
    with before as (select used_at is not null as used from auth_flow where state_hash = ${hash} for update)
    update auth_flow f set used_at = coalesce(f.used_at, now()) from before
    where f.state_hash = ${hash}
    returning f.provider, f.redirect_to, f.code_challenge, f.code_challenge_method, f.verifier_sealed, f.nonce,
      f.link_session_id, (select user_id from auth_session where id = f.link_session_id) as link_user_id,
      f.invited_user_id,
      f.expires_at < now() as expired, before.used`.execute(database.kysely)
  const row = rows[0]
  if (!row) return { refusal: badState('OAuth state not found or expired'), redirectTo: null }
  const redirectTo = row.redirect_to
  if (row.used)
    return {
      refusal: new AuthError(400, 'flow_state_already_used', 'State has already been used'),
      redirectTo,
    }
  if (row.expired) return { refusal: badState('OAuth state has expired'), redirectTo }
  const challenge = row.code_challenge && {
    challenge: row.code_challenge,
    method: row.code_challenge_method!,
  }
  return {
    flow: {
      provider: row.provider,
      redirectTo,
      challenge: challenge || null,
      verifier: vault.open(row.verifier_sealed, flowContext(hash)).toString(),
      nonce: row.nonce,
      linkTo: row.link_user_id ? { userId: row.link_user_id, sessionId: row.link_session_id! } : null,
      invitedUserId: row.invited_user_id,
    },
  }
}

const badState = (message: string) => new AuthError(400, 'bad_oauth_state', message)
