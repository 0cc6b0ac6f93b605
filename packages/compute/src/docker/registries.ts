/**
 * Where an image's name leads. Whoever names an image has the engine speak to its registry, so a registry at a private
 * address is refused unless the operator has listed it. The name is resolved here, once, before a pull; the engine
 * resolves it again by itself, and follows what a registry answers. So this keeps a name from leading inside, and not a
 * registry that answers otherwise a moment later: against that only the network of the engine's host helps.
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIPv6 } from 'node:net'
import { type Answer, done, failed } from '../driver.ts'

const inside = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(address, bits)
for (const [address, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(address, bits, 'ipv6')

/** Not to be reached from everywhere. */
export const isInside = (address: string): boolean => inside.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** A name's registry, with its port where it has one; null: the engine's own default. */
export function registryOf(image: string): string | null {
  const [first = '', ...rest] = image.split('/')
  const isHost =
    rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())
  return isHost && !['docker.io', 'index.docker.io'].includes(first) ? first.toLowerCase() : null
}

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>

/** `listed`: as the operator wrote them, `host` or `host:port`. */
export async function mayPullFrom(
  image: string,
  listed: readonly string[],
  resolve: Resolve = host => lookup(host, { all: true }),
): Promise<Answer> {
  const registry = registryOf(image)
  if (registry === null || listed.includes(registry)) return done()
  const found = await resolve(registry.replace(/:\d+$/, '')).catch(() => [])
  if (found.length === 0) return failed('transient', 'The image’s registry could not be found.')
  if (found.some(({ address }) => isInside(address)))
    return failed(
      'rejected',
      'The image’s registry has a private address, from which nothing is pulled here.',
    )
  return done()
}

/** As the engine lists it: without what every name has that says no registry. */
export function familiar(image: string): string {
  const [name = '', digest] = image.split('@')
  const bare = name.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '')
  if (digest !== undefined) return `${bare.replace(/:[^/:]*$/, '')}@${digest}`
  return /:[^/]*$/.test(bare) ? bare : `${bare}:latest`
}
