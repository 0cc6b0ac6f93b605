/**
 * A visit to a provider: its row is made on the way out and taken once on the way back. What travels through the
 * browser is the `state`; only its hash is stored.
 */
import { createHash } from 'node:crypto'
import type { Challenge } from '../codes/pkce.ts'

export interface LinkTo {
  readonly userId: string
  readonly sessionId: string
}

export interface Flow {
  readonly provider: string
  readonly redirectTo: string
  readonly challenge: Challenge | null
  readonly verifier: string
  readonly nonce: string
  /** Whose the identity is to be: the user of this session. */
  readonly linkTo: LinkTo | null
  readonly invitedUserId: string | null
}

export const stateHash = (state: string): string => createHash('sha256').update(state).digest('hex')
export const flowContext = (hash: string) => `flow:${hash}`
