import type { Client } from '@ingot/sdk/client'
import type { Db } from '../db/database.ts'

/** Whose rows a test makes. */
export interface Owner {
  readonly id: string
  readonly client: Client
  /** Past the rights of the server: for rows that no single call makes. */
  readonly db: Db
  /** Signs in once more. */
  signIn(): Promise<{ readonly sessionId: string }>
}

/** Makes a row of the owner's and returns its id: for the ownership test, by the segment of the path that names it. */
export type RowMakers = Readonly<Record<string, (owner: Owner) => Promise<string>>>
