/**
 * What is made on an engine carries whose it is: two installations may share an engine, and neither sees, lists or
 * sweeps what the other made.
 */
import { createHash } from 'node:crypto'

export const labels = {
  installation: 'ingot.installation',
  instance: 'ingot.instance',
  /** The network that a machine was made on. */
  network: 'ingot.network',
  /** Of a network: whose it is, as a hash. */
  tenant: 'ingot.tenant',
  /** Of a container that was made of another one's disk: the tag of that. */
  disk: 'ingot.disk',
  /** Of the volume with our own programs: which version. */
  tools: 'ingot.tools',
  /** Of a container, a machine's too, and of a volume of the engine: of which volume of a customer's. */
  volume: 'ingot.volume',
  /** What of a volume or a snapshot it is. */
  part: 'ingot.part',
} as const

/** A machine's id is part of its container's name, and an installation's of the names of all that it makes. */
const id = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$/

export const isId = (text: string): boolean => id.test(text)

export interface Names {
  container(ref: string): string
  /** By the installation alone: a filter of the engine's lists. */
  readonly filter: { readonly label: string[] }
  readonly owned: Readonly<Record<string, string>>
  tenant(tenant: string): string
  network(tenant: string, number: number): string
  tools(version: string): string
  /** Of a volume or a snapshot; no ref has a dot. */
  part(kind: 'volume' | 'snapshot' | 'view', ref: string, part?: string): string
}

export function namesOf(installation: string): Names {
  if (!isId(installation)) throw new Error('an installation’s id is made of letters, digits, _, . and -')
  const mark = `${labels.installation}=${installation}`
  // A tenant's id is not ours to put into a name.
  const tenantOf = (tenant: string) => createHash('sha256').update(tenant).digest('hex').slice(0, 20)
  return {
    container: ref => `ingot-${installation}-${ref}`,
    filter: { label: [mark] },
    owned: { [labels.installation]: installation },
    tenant: tenantOf,
    network: (tenant, number) => `ingot-${installation}-${tenantOf(tenant)}-${number}`,
    tools: version => `ingot-${installation}-tools-${version}`,
    part: (kind, ref, part) => `ingot-${installation}-${kind}-${ref}${part ? `.${part}` : ''}`,
  }
}
