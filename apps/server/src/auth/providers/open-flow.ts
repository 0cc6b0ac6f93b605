import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Challenge } from '../codes/pkce.ts'
import type { AuthSettings } from '../settings.ts'
import { flowContext, stateHash } from './flows.ts'

export interface FlowNeeds {
  readonly database: Database
  readonly settings: AuthSettings
  readonly vault: Vault
}

export interface NewFlow {
  readonly provider: string
  readonly redirectTo: string
  readonly challenge: Challenge | null
  /** The caller's; one is made where there is none. */
  readonly nonce: string | null
  readonly linkSessionId: string | null
  readonly invitedUserId: string | null
}

export async function openFlow(
  { database, vault, settings }: FlowNeeds,
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
      ${flow.challenge?.method ?? null}, ${vault.seal(verifier, flowContext(hash))}, ${nonce}, ${flow.linkSessionId},
      ${flow.invitedUserId}, now() + ${settings.flowLifeSeconds} * interval '1 second')`.execute(
    database.kysely,
  )
  return { state, verifier, nonce }
}
