/** A call about factors: who makes it, and with what. */
import type { Body } from '../body.ts'
import type { UserRow } from '../queries.ts'
import type { Visitor } from '../services.ts'
import type { SessionClaims } from '../sessions/tokens.ts'

export interface FactorCall {
  readonly user: UserRow
  readonly session: SessionClaims
  readonly visitor: Visitor
  readonly body: Body
  /** Of the factor in the path; empty where there is none. */
  readonly factorId: string
}
