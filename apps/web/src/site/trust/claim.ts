/**
 * The sentences of pages that people rely on (security, privacy, compliance). One that claims something of the product
 * names the tests that hold it, by their full titles; `claims.test.ts` fails for one that does not, and for a title
 * that no running test has.
 */
import type { ReactNode } from 'react'

export interface Sentence {
  readonly says: ReactNode
  /** Empty: it claims nothing of the product. */
  readonly heldBy: readonly string[]
}

export const claim = (says: string, ...heldBy: readonly [string, ...string[]]): Sentence => ({ says, heldBy })

/**
 * No claim: what introduces, what the operator does or owes, what the law says, what is planned or missing, and what
 * somebody else's product does.
 */
export const note = (says: ReactNode): Sentence => ({ says, heldBy: [] })
