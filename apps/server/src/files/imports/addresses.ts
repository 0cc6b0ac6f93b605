/**
 * Where an import may lead: the public internet, and nowhere that only this machine or its network can reach. Forms that
 * carry another address in them (mapped, NAT64, 6to4, Teredo) are refused whole, whatever they carry.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What was given out of IPv6 for hosts of the internet. All else is local, reserved or carries an IPv4 address. */
const global = ipaddr.parseCIDR('2000::/3')

export function isPublic(address: string): boolean {
  // Only the usual form, without a zone: others are read in several ways.
  if (!isIP(address) || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(global))
}
