/** Addresses, ranges of them, and the proxies in front. */
import { isIP } from 'node:net'

export const maxProxies = 10

/** An address, or a range of them in CIDR notation. Of everything (`/0`) there is no range. */
export function parseNetwork(text: string): string | undefined {
  const [address, bits, ...more] = text.split('/')
  const family = isIP(address!)
  if (family === 0 || more.length > 0) return undefined
  if (bits === undefined) return text
  return /^[1-9]\d*$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128) ? text : undefined
}

/** How many proxies, or where they are. */
export function parseProxies(text: string): number | readonly string[] | undefined {
  // What the reference once called the default.
  if (text === 'false') return 0
  if (/^\d+$/.test(text)) return Number(text) <= maxProxies ? Number(text) : undefined
  const networks = text.split(',').map(part => parseNetwork(part.trim()))
  return networks.every(network => network !== undefined) ? networks : undefined
}
