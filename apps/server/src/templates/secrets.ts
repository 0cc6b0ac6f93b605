/** The values of a template's secrets, or of an instance's, sealed for whoever they belong to. */
import type { Vault } from '../vault.ts'

export type Secrets = Readonly<Record<string, string>>

const contextOf = (owner: string): string => `secrets of ${owner}`

/** Null: there are none. */
export const sealSecrets = (vault: Vault, owner: string, secrets: Secrets): Buffer | null =>
  Object.keys(secrets).length ? vault.seal(JSON.stringify(secrets), contextOf(owner)) : null

/** Throws where they were sealed for somebody else, or under another key. */
export const openSecrets = (vault: Vault, owner: string, sealed: Buffer | null): Secrets =>
  sealed ? (JSON.parse(vault.open(sealed, contextOf(owner)).toString()) as Secrets) : {}
