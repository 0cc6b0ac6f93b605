/**
 * A network for each customer, so that machines of two customers don't reach each other. The engine's own pools end at
 * about 31 networks; ours are blocks of 16 addresses from a range that the operator gives, which an engine's bridge, the
 * network's own two and 13 machines fill. A customer with more gets a further network.
 *
 * A machine counts from its making to its end, since a stopped one is started again where it was. Made by name, and
 * found again by name; of two that were made at once the older stays.
 */
import { BlockList, isIPv4 } from 'node:net'
import type { ContainerInspectInfo, NetworkInspectInfo } from 'dockerode'
import { createTurns } from '../sandbox/turns.ts'
import { type Engine, statusOf, unlessMissing } from './engine.ts'
import { labels, type Names } from './names.ts'

/** Of the 16 addresses of a block: the network's, the bridge's and the last one are taken. */
export const machinesPerNetwork = 13
const blockAddresses = 16
const tries = 8

export interface Networks {
  /** The network that a new machine of this tenant goes to, made where it is missing. Null: the range is used up. */
  placeFor(tenant: string, key: string): Promise<string | null>
  /** The machine that a place was found for is there, or will not be. */
  settled(key: string): void
  /** Has a stopped machine on it again where somebody removed the network. False: the range is used up. */
  rejoin(container: ContainerInspectInfo): Promise<boolean>
  /** Removes it when no machine is left that would be started on it. */
  leave(name: string): Promise<void>
  /** Removes those that have had no machine for a while: whoever deletes one machine and deploys the next keeps his. */
  sweep(): Promise<void>
}

/** To make one takes a quarter as long as to start a machine. */
const keptMs = 10 * 60_000

export function createNetworks({ calls }: Engine, names: Names, pool: string, kept = keptMs): Networks {
  /** Since when they have been seen without a machine. */
  const emptySince = new Map<string, number>()
  const oneForTenant = createTurns()
  const oneAtOnce = createTurns()
  const range = rangeOf(pool)
  /** Machines that are being made: the engine does not know them yet. */
  const coming = new Map<string, string>()

  async function machinesOn(): Promise<Map<string, number>> {
    const all = await calls.listContainers({ all: true, filters: names.filter })
    const counts = new Map<string, number>()
    const count = (network: string) => counts.set(network, (counts.get(network) ?? 0) + 1)
    for (const { Labels } of all) if (Labels[labels.network]) count(Labels[labels.network]!)
    for (const network of coming.values()) count(network)
    return counts
  }

  const list = (): Promise<NetworkInspectInfo[]> => calls.listNetworks()

  async function ensureNow(name: string, tenantHash: string | null): Promise<boolean> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const all = await list()
      const same = all
        .filter(({ Name }) => Name === name)
        .toSorted((a, b) => (a.Created < b.Created ? -1 : 1))
      // The engine lets two have one name.
      for (const { Id } of same.slice(1))
        await calls
          .getNetwork(Id)
          .remove()
          .catch(() => {})
      if (same.length > 0) return true
      const block = firstFree(range, all.flatMap(subnetsOf), attempt)
      if (!block) return false
      const made = await calls
        .createNetwork({
          Name: name,
          CheckDuplicate: true,
          Driver: 'bridge',
          IPAM: { Driver: 'default', Config: [{ Subnet: block }] },
          Labels: { ...names.owned, ...(tenantHash === null ? {} : { [labels.tenant]: tenantHash }) },
        })
        .catch((error: unknown) => {
          // Somebody else has taken the name or the block, or the host uses it for something of its own.
          if ([403, 409].includes(statusOf(error) ?? 0)) return null
          if (/overlap/i.test(String(error))) return null
          throw error
        })
      if (made) return true
    }
    return false
  }

  // One after the other: two tenants must not be given one block.
  const ensure = (name: string, tenantHash: string | null): Promise<boolean> =>
    oneAtOnce('', () => ensureNow(name, tenantHash))

  const removeEmpty = (forMs: number): Promise<void> =>
    oneAtOnce('', async () => {
      // In this order: a machine is not made before its network.
      const all = await calls.listNetworks({ filters: names.filter })
      const used = await machinesOn()
      const empty = new Set(all.map(({ Name }) => Name).filter(name => !used.has(name)))
      for (const name of emptySince.keys()) if (!empty.has(name)) emptySince.delete(name)
      for (const name of empty) {
        const since = emptySince.get(name) ?? performance.now()
        emptySince.set(name, since)
        if (performance.now() - since >= forMs) await remove(name)
      }
    })

  /** Missing, or in use after all. */
  const remove = (name: string): Promise<unknown> =>
    calls
      .getNetwork(name)
      .remove()
      .catch(() => {})

  return {
    async rejoin({ Id, Config, NetworkSettings }) {
      const name = Config.Labels[labels.network]
      if (!name) return true
      const known = NetworkSettings.Networks[name]?.NetworkID
      const isThere = known && (await unlessMissing(calls.getNetwork(known).inspect()))
      // One that never ran knows its network by name alone.
      if (isThere) return true
      if (!(await ensure(name, null))) return false
      if (!known) return true
      const network = calls.getNetwork(name)
      await network.disconnect({ Container: Id, Force: true }).catch(() => {})
      await network.connect({ Container: Id })
      return true
    },
    placeFor: (tenant, key) =>
      oneForTenant(tenant, async () => {
        const counts = await machinesOn()
        for (let number = 1; ; number++) {
          const name = names.network(tenant, number)
          if ((counts.get(name) ?? 0) >= machinesPerNetwork) continue
          if (!(await ensure(name, names.tenant(tenant)))) {
            await removeEmpty(0)
            if (!(await ensure(name, names.tenant(tenant)))) return null
          }
          coming.set(key, name)
          return name
        }
      }),
    settled: key => void coming.delete(key),
    leave: name =>
      oneAtOnce('', async () => {
        if (!(await machinesOn()).has(name)) await remove(name)
      }),
    sweep: () => removeEmpty(kept),
  }
}

interface Range {
  readonly first: number
  readonly addresses: number
}

/** As `10.213.0.0/16`. Throws on anything else. */
export function rangeOf(pool: string): Range {
  const [address = '', length = ''] = pool.split('/')
  const bits = Number(length)
  if (!isIPv4(address) || !/^\d+$/.test(length) || bits < 8 || bits > 28)
    throw new Error('the range for networks is written like 10.213.0.0/16, with 8 to 28 bits')
  const addresses = 2 ** (32 - bits)
  return { first: Math.floor(numberOf(address) / addresses) * addresses, addresses }
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const textOf = (number: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(number / 2 ** shift) % 256).join('.')

const subnetsOf = ({ IPAM }: NetworkInspectInfo): string[] =>
  (IPAM?.Config ?? []).flatMap(({ Subnet }) => (Subnet && isIPv4(Subnet.split('/')[0]!) ? [Subnet] : []))

/** The first block that none of these overlaps; `skip`: so many free ones are passed over. */
export function firstFree({ first, addresses }: Range, used: readonly string[], skip = 0): string | null {
  const taken = new BlockList()
  for (const subnet of used) {
    const [address, bits] = subnet.split('/')
    taken.addSubnet(address!, Number(bits))
  }
  // A smaller one than ours lies inside a block that is then not free.
  const smaller = used
    .filter(subnet => Number(subnet.split('/')[1]) > 28)
    .map(subnet => numberOf(subnet.split('/')[0]!))
  let left = skip
  for (let at = first; at < first + addresses; at += blockAddresses) {
    const isTaken =
      taken.check(textOf(at)) || smaller.some(start => start >= at && start < at + blockAddresses)
    if (!isTaken && left-- === 0) return `${textOf(at)}/28`
  }
  return null
}
