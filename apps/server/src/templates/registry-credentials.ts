/** The name and password with which a template's image is pulled, sealed for the template's owner. */
import type { RegistryCredentials } from '@ingot/compute/driver'
import type { Vault } from '../vault.ts'

const contextOf = (owner: string): string => `registry credentials of ${owner}`

export const sealCredentials = (vault: Vault, owner: string, given: RegistryCredentials): Buffer =>
  vault.seal(JSON.stringify([given.username, given.password]), contextOf(owner))

/** Throws where they were sealed for somebody else, or under another key. */
export function openCredentials(vault: Vault, owner: string, sealed: Buffer): RegistryCredentials {
  const [username, password] = JSON.parse(vault.open(sealed, contextOf(owner)).toString()) as [string, string]
  return { username, password }
}
