/** A call about factors: who makes it, and with what. */
import type { Body } from '../body.ts'
import { invalid } from '../errors.ts'
import type { UserRow } from '../queries.ts'
import type { SessionClaims } from '../sessions/tokens.ts'
import type { Visitor } from '../visitor.ts'

export interface FactorCall {
  readonly user: UserRow
  readonly session: SessionClaims
  readonly visitor: Visitor
  readonly body: Body
  /** Of the factor in the path; empty where there is none. */
  readonly factorId: string
}

const maxName = 120

export const readName = (body: Body): string => readPlain(body, 'friendly_name')

/** Control characters belong in no name, and PostgreSQL stores no NUL. */
export function readPlain(body: Body, field: string): string {
  const text = body.text(field, maxName)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw invalid(`${field} holds characters that cannot be stored`)
  return text
}
