import type { Client } from '@ingot/sdk/client'

/** Whose rows a test makes. */
export interface Owner {
  readonly client: Client
  /** Signs in once more. */
  signIn(): Promise<{ readonly sessionId: string }>
}

/** Makes a row of the owner's and returns its id: for the ownership test, by the segment of the path that names it. */
export type RowMakers = Readonly<Record<string, (owner: Owner) => Promise<string>>>
