/**
 * What a machine could reach, tried from where one would be. `look` runs in the network of the engine's host and tells
 * what there is to be tried; `try` runs in a network like a customer's and tells which of it takes connections.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface Surroundings {
  /** The host's own, and on which ports something listens there; null: on all of its addresses. */
  readonly addresses: readonly string[]
  readonly listeners: readonly { readonly address: string | null; readonly port: number }[]
  /** Others that the host has spoken to, and its gateways. */
  readonly neighbours: readonly string[]
}

const waitMs = 1_000
const atOnce = 250

function look(): Surroundings {
  const own = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  const addresses = own.filter(({ internal, family }) => !internal && family === 'IPv4')
  const gateways = lines('/proc/net/route').map(([, , gateway = '']) => fromHex(gateway))
  const neighbours = lines('/proc/net/arp').map(([address = '']) => address)
  return {
    addresses: addresses.map(({ address }) => address),
    listeners: [...listening('/proc/net/tcp'), ...listening('/proc/net/tcp6')],
    neighbours: [...new Set([...gateways, ...neighbours])].filter(address => address !== '0.0.0.0'),
  }
}

/** Without the heading. */
function lines(path: string): string[][] {
  try {
    const [, ...rest] = readFileSync(path, 'latin1').trim().split('\n')
    return rest.map(line => line.trim().split(/\s+/))
  } catch {
    return []
  }
}

/** The kernel writes an address as it lies in memory. */
const fromHex = (hex: string): string => Buffer.from(hex, 'hex').toReversed().join('.')

const anywhere = /^0+$/
const mapped = /^0{16}FFFF0000(.{8})$/

function listening(path: string) {
  return lines(path).flatMap(([, local = '', , state]) => {
    const [hex = '', port = ''] = local.split(':')
    if (state !== '0A') return []
    const four = mapped.exec(hex)?.[1] ?? (hex.length === 8 ? hex : null)
    if (!anywhere.test(hex) && four === null) return []
    const address = anywhere.test(hex) ? null : fromHex(four!)
    return address?.startsWith('127.') ? [] : [{ address, port: Number.parseInt(port, 16) }]
  })
}

async function reached(targets: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const left = targets.values()
  const worker = async () => {
    for (const target of left) if (await accepts(target)) found.push(target)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return found
}

function accepts(target: string): Promise<boolean> {
  const [host, port] = target.split(':')
  return new Promise(resolve => {
    const socket = connect({ host, port: Number(port), timeout: waitMs })
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}

const [mode, given] = process.argv.slice(2)
if (mode === 'look') console.log(JSON.stringify(look()))
else if (mode === 'try') console.log(JSON.stringify(await reached(JSON.parse(given!) as string[])))
