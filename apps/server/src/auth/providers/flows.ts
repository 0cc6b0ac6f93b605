/**
 * A visit to a provider: its row is made on the way out and taken once on the way back. What travels through the browser
 * is the `state`; only its hash is stored.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { AuthError } from '../errors.ts'
import type { Challenge } from '../codes/pkce.ts'
import type { AuthServices } from '../services.ts'

export interface NewFlow {
  readonly provider: string
  readonly redirectTo: string
  readonly challenge: Challenge | null
  /** The caller's; one is made where there is none. */
  readonly nonce: string | null
  readonly linkSessionId: string | null
  readonly invitedUserId: string | null
}

export interface Flow {
  readonly provider: string
  readonly redirectTo: string
  readonly challenge: Challenge | null
  readonly verifier: string
  readonly nonce: string
  /** Whom the identity is to be linked to. */
  readonly linkUserId: string | null
  readonly invitedUserId: string | null
}

export const stateHash = (state: string): string => createHash('sha256').update(state).digest('hex')
const contextOf = (hash: string) => `flow:${hash}`

export async function openFlow(
  { database, vault, settings }: AuthServices,
  flow: NewFlow,
): Promise<{ state: string; verifier: string; nonce: string }> {
  const state = randomUUID()
  const hash = stateHash(state)
  const verifier = randomBytes(32).toString('base64url')
  const nonce = flow.nonce ?? randomBytes(16).toString('base64url')
  await sql`
    with swept as (delete from auth_flow where expires_at < now() - interval '1 hour')
    insert into auth_flow (state_hash, provider, redirect_to, code_challenge, code_challenge_method, verifier_sealed, nonce,
      link_session_id, invited_user_id, expires_at)
    values (${hash}, ${flow.provider}, ${flow.redirectTo}, ${flow.challenge?.challenge ?? null},
      ${flow.challenge?.method ?? null}, ${vault.seal(verifier, contextOf(hash))}, ${nonce}, ${flow.linkSessionId},
      ${flow.invitedUserId}, now() + ${settings.flowLifeSeconds} * interval '1 second')`.execute(
    database.kysely,
  )
  return { state, verifier, nonce }
}

interface FlowRow {
  provider: string
  redirect_to: string
  code_challenge: string | null
  code_challenge_method: Challenge['method'] | null
  verifier_sealed: Buffer
  nonce: string
  link_user_id: string | null
  invited_user_id: string | null
  expired: boolean
  used: boolean
}

/** Takes the flow, whatever comes of it. A refusal is returned with where to tell it, when that is known. */
export async function takeFlow(
  { database, vault }: AuthServices,
  state: string,
): Promise<{ flow: Flow } | { refusal: AuthError; redirectTo: string | null }> {
  const hash = stateHash(state)
  const { rows } = await sql<FlowRow>`
    with before as (select used_at is not null as used from auth_flow where state_hash = ${hash} for update)
    update auth_flow f set used_at = coalesce(f.used_at, now()) from before
    where f.state_hash = ${hash}
    returning f.provider, f.redirect_to, f.code_challenge, f.code_challenge_method, f.verifier_sealed, f.nonce,
      (select user_id from auth_session where id = f.link_session_id) as link_user_id, f.invited_user_id,
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
      verifier: vault.open(row.verifier_sealed, contextOf(hash)).toString(),
      nonce: row.nonce,
      linkUserId: row.link_user_id,
      invitedUserId: row.invited_user_id,
    },
  }
}

const badState = (message: string) => new AuthError(400, 'bad_oauth_state', message)
