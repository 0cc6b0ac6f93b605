/**
 * The only reader of `process.env`. Each setting is checked once, at start; a bad one is a `ConfigError` whose message
 * says which variable, what is wrong and what to write.
 */
import { type RegionName, regionNames } from '@ingot/contracts/catalog'
import { isIP } from 'node:net'
import { resolve } from 'node:path'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export const driverNames = ['simulated', 'sandbox'] as const
export type DriverName = (typeof driverNames)[number]

export interface Config {
  readonly host: string
  readonly port: number
  /** Nobody outside this machine can connect. */
  readonly loopback: boolean
  /** Origin of links in mails and of tokens, without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** A PostgreSQL of the operator's; null: the embedded one. */
  readonly databaseUrl: string | null
  /** Seals secrets at rest; null: one is made and kept in the data folder. */
  readonly secret: string | null
  readonly logLevel: string
  readonly smtp: { readonly url: string; readonly from: string } | null
  readonly chain:
    | { readonly kind: 'devnet' }
    | {
        readonly kind: 'tron'
        readonly endpoint: string
        readonly apiKey: string | null
        readonly xpub: string
        readonly contract: string
        readonly network: string
      }
  /** Which driver serves a region; a region without an entry gets the best that runs here. */
  readonly regions: Partial<Record<RegionName, DriverName>>
  readonly maxSandboxes: number
  readonly trustProxy: boolean
  readonly insists: {
    /** Sandboxes share the host's kernel; on a public listener the operator says in writing that this is meant. */
    readonly publicSandbox: boolean
    /** Simulated GPUs for real money. */
    readonly sellSimulated: boolean
  }
}

/** What an operator writes to insist. Long on purpose: nobody types it by accident. */
export const publicSandboxSentence = 'I accept that sandboxes share this kernel'
export const sellSimulatedSentence = 'I sell simulated GPUs for real money'

const usdtMainnet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const text = (name: string): string | null => env[name]?.trim() || null
  const host = text('INGOT_HOST') ?? 'localhost'
  const port = integer('PORT', text('PORT') ?? '8080', 0, 65_535)
  const loopback = isLoopback(host)
  return {
    host,
    port,
    loopback,
    publicUrl: readPublicUrl(text('INGOT_PUBLIC_URL'), host, port),
    dataDir: resolve(text('INGOT_DATA_DIR') ?? '.ingot'),
    databaseUrl: readDatabaseUrl(text('DATABASE_URL')),
    secret: text('INGOT_SECRET'),
    logLevel: oneOf('INGOT_LOG_LEVEL', text('INGOT_LOG_LEVEL') ?? 'warn', [
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'trace',
      'silent',
    ]),
    smtp: readSmtp(text('INGOT_SMTP_URL'), text('INGOT_MAIL_FROM')),
    chain: readChain(text),
    regions: readRegions(text('INGOT_REGIONS')),
    maxSandboxes: integer('INGOT_MAX_SANDBOXES', text('INGOT_MAX_SANDBOXES') ?? '16', 1, 10_000),
    trustProxy: text('INGOT_TRUST_PROXY') === 'true',
    insists: {
      publicSandbox: text('INGOT_PUBLIC_SANDBOX') === publicSandboxSentence,
      sellSimulated: text('INGOT_SELL_SIMULATED') === sellSimulatedSentence,
    },
  }
}

export const isDevnet = (config: Config): boolean => config.chain.kind === 'devnet'
/** One rule, everywhere: `/dev/*`, the faucet and the movable clock exist only here. */
export const hasDevTools = (config: Config): boolean => isDevnet(config) && config.loopback

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

function integer(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < min || number > max) {
    throw new ConfigError(
      `${name} is ${JSON.stringify(value)}. Set it to a whole number from ${min} to ${max}`,
    )
  }
  return number
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(value))
    throw new ConfigError(`${name} is ${JSON.stringify(value)}. Use one of ${allowed.join(', ')}`)
  return value as T
}

function readPublicUrl(value: string | null, host: string, port: number): string {
  if (!value) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!/^https?:\/\/[^/?#]+$/.test(value.replace(/\/$/, ''))) {
    throw new ConfigError(
      `INGOT_PUBLIC_URL is ${JSON.stringify(value)}. Write an origin such as https://cloud.example.com`,
    )
  }
  return value.replace(/\/$/, '')
}

function readDatabaseUrl(value: string | null): string | null {
  if (value && !/^postgres(ql)?:\/\//.test(value)) {
    throw new ConfigError(
      'DATABASE_URL does not start with postgres://. Write postgres://user:password@host:5432/database',
    )
  }
  return value
}

function readSmtp(url: string | null, from: string | null): Config['smtp'] {
  if (!url) return null
  if (!/^smtps?:\/\//.test(url))
    throw new ConfigError('INGOT_SMTP_URL does not start with smtp:// or smtps://')
  if (!from)
    throw new ConfigError(
      'INGOT_SMTP_URL is set but INGOT_MAIL_FROM is not. Write the sender, such as Ingot <no-reply@example.com>',
    )
  return { url, from }
}

function readChain(text: (name: string) => string | null): Config['chain'] {
  const endpoint = text('INGOT_TRON_ENDPOINT')
  const xpub = text('INGOT_TRON_XPUB')
  if (!endpoint && !xpub) return { kind: 'devnet' }
  if (!endpoint || !xpub)
    throw new ConfigError('A real chain needs both INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB')
  if (!/^https?:\/\//.test(endpoint))
    throw new ConfigError('INGOT_TRON_ENDPOINT does not start with https://')
  return {
    kind: 'tron',
    endpoint: endpoint.replace(/\/$/, ''),
    apiKey: text('INGOT_TRON_API_KEY'),
    xpub,
    contract: text('INGOT_TRON_CONTRACT') ?? usdtMainnet,
    network: text('INGOT_TRON_NETWORK') ?? 'TRON (TRC20)',
  }
}

function readRegions(value: string | null): Config['regions'] {
  const regions: Partial<Record<RegionName, DriverName>> = {}
  for (const entry of value?.split(',') ?? []) {
    const [region, driver] = entry.split('=').map(part => part.trim())
    regions[oneOf('INGOT_REGIONS', region ?? '', regionNames)] = oneOf(
      'INGOT_REGIONS',
      driver ?? '',
      driverNames,
    )
  }
  return regions
}
