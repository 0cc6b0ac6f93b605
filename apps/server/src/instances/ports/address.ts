/**
 * The name of a port: `8888-<SSH user name>` below the apps host. Each port of each instance is an origin of its own, so
 * browsers keep their pages apart, and a name belongs to one instance for ever.
 */
import { isIP } from 'node:net'
import { IngotError } from '@ingot/contracts/errors'
import type { Config } from '../../config.ts'

export interface PortName {
  readonly user: string
  readonly port: number
}

type AddressConfig = Pick<Config, 'appsHost' | 'publicUrl'>

/** Where the name of a port leads, without a slash at the end. */
export function originOfPort({ appsHost, publicUrl }: AddressConfig, { user, port }: PortName): string {
  if (!appsHost)
    throw new IngotError('invalid_state', {
      message:
        'Ports are switched off here: the service has no host for them (INGOT_APPS_HOST). A port can be forwarded by SSH.',
    })
  const { protocol, port: own } = new URL(publicUrl)
  return `${protocol}//${port}-${user}.${appsHost}${own && `:${own}`}`
}

const mostKnown = 10_000
/** Of a name in the DNS, and a port. */
const mostLetters = 260
const labelForm = /^([1-9]\d{0,4})-([a-z][a-z0-9]{7})$/

/** Whose a request is, by its `Host`. `unknown`: nobody's, and nothing is said of whose it could be. */
export function createHosts({
  appsHost,
  publicUrl,
  namesConsole,
}: AddressConfig & Pick<Config, 'namesConsole'>) {
  const console = new URL(publicUrl).hostname
  const known = new Map<string, PortName | 'console' | 'unknown'>()
  return (given: string | undefined): PortName | 'console' | 'unknown' => {
    // Without a host for ports there is nothing to keep apart.
    if (!appsHost || !given) return 'console'
    if (given.length > mostLetters) return read(given, appsHost)
    let whose = known.get(given)
    if (whose) return whose
    if (known.size >= mostKnown) known.clear()
    known.set(given, (whose = read(given, appsHost)))
    return whose
  }

  function read(given: string, appsHost: string): PortName | 'console' | 'unknown' {
    const host = given.replace(/:\d*$/, '').toLowerCase().replace(/\.$/, '')
    if (host === appsHost) return 'unknown'
    if (host.endsWith(`.${appsHost}`)) {
      const [, port, user] = labelForm.exec(host.slice(0, -appsHost.length - 1)) ?? []
      return user && Number(port) <= 65_535 ? { port: Number(port), user } : 'unknown'
    }
    // Machines ask by address, and by names that are good within a network alone.
    const isOwn = host === console || !host.includes('.') || host.endsWith('.localhost') || isIP(host) !== 0
    return isOwn || host.startsWith('[') || !namesConsole ? 'console' : 'unknown'
  }
}
