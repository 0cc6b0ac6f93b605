/** What an import stands on outside of the service. Tests give their own; no setting does. */
import { Resolver } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'

export interface Outside {
  /** All addresses of a name, none if there are none. */
  resolve(name: string): Promise<readonly string[]>
  /** Begins a connection to this very address. */
  connect(address: string, port: number): Socket
  /** Who is trusted to sign certificates; null: whom Node trusts. */
  readonly ca: string | null
}

const dnsMs = 5_000

export const internet: Outside = {
  // Not `lookup`: that asks in a thread of the few that files need too, for as long as a slow name server likes.
  async resolve(name) {
    const resolver = new Resolver({ timeout: dnsMs, tries: 2 })
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
  },
  connect: (host, port) => connect({ host, port, autoSelectFamily: false }),
  ca: null,
}
