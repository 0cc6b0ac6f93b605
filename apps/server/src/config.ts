/**
 * The only reader of `process.env`. Each setting is checked once, at start; a bad one is a `ConfigError` whose message
 * says which variable, what is wrong and what to write.
 */
import { type RegionName, regionNames } from '@ingot/contracts/catalog'
import { createHash, createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
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
  /** Nobody outside this machine can connect: neither to the listener nor, through a proxy, by the public URL. */
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
  /** How messages reach phones; null: phones are not offered. */
  readonly sms:
    | {
        readonly kind: 'twilio'
        readonly url: string
        readonly account: string
        readonly token: string
        readonly from: string
      }
    | { readonly kind: 'inbox' }
    | null
  /** Anybody may open an account; otherwise only who is invited. */
  readonly signUp: boolean
  /** Passwords that everybody tries first are not accepted as new ones. */
  readonly refuseCommonPasswords: boolean
  /** When browsers must sign in again; null: never. */
  readonly sessions: {
    readonly maxDays: number | null
    readonly idleDays: number | null
    /** A new one ends the user's others. */
    readonly single: boolean
  }
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
  /** How many proxies stand in front, or their addresses; 0: none, and no forwarded header is believed. */
  readonly trustProxy: number | readonly string[]
  /** After so many days another key signs access tokens. */
  readonly signingKeyDays: number
  /** Who else vouches for users, and for administrators' programs. */
  readonly signIn: SignInConfig
  readonly insists: {
    /** Sandboxes share the host's kernel; on a public listener the operator says in writing that this is meant. */
    readonly publicSandbox: boolean
    /** Simulated GPUs for real money. */
    readonly sellSimulated: boolean
  }
}

export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
}

export interface OidcClient extends OAuthClient {
  readonly issuer: string
  /** What its button says. */
  readonly name: string
}

/** Null is off. */
export interface SignInConfig {
  readonly github: (OAuthClient & { readonly url: string; readonly apiUrl: string }) | null
  readonly google: OidcClient | null
  readonly oidc: OidcClient | null
  /** The RSA key, as PEM, that signs requests to SAML identity providers; `generate`: one of our own, kept sealed. */
  readonly samlKey: string | null
  /** SHA-256 of the key with which a program is an administrator of the auth service. */
  readonly serviceKeyHash: Buffer | null
}

export const noProviders: SignInConfig = {
  github: null,
  google: null,
  oidc: null,
  samlKey: null,
  serviceKeyHash: null,
}

/** What an operator writes to insist. Long on purpose: nobody types it by accident. */
export const publicSandboxSentence = 'I accept that sandboxes share this kernel'
export const sellSimulatedSentence = 'I sell simulated GPUs for real money'

const usdtMainnet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

type ReadText = (name: string) => string | null

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const text: ReadText = name => env[name]?.trim() || null
  const host = text('INGOT_HOST') ?? 'localhost'
  const port = integer('PORT', text('PORT') ?? '8080', 0, 65_535)
  const publicUrl = readPublicUrl(text('INGOT_PUBLIC_URL'), host, port)
  const loopback = isLoopback(host) && isLoopback(new URL(publicUrl).hostname)
  return {
    host,
    port,
    loopback,
    publicUrl,
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
    sms: readSms(text, loopback),
    signUp: readFlag(text, 'INGOT_SIGN_UP', true),
    refuseCommonPasswords: readFlag(text, 'INGOT_REFUSE_COMMON_PASSWORDS', true),
    sessions: {
      maxDays: readDays(text, 'INGOT_SESSION_DAYS'),
      idleDays: readDays(text, 'INGOT_SESSION_IDLE_DAYS'),
      single: readFlag(text, 'INGOT_SINGLE_SESSION', false),
    },
    chain: readChain(text),
    regions: readRegions(text('INGOT_REGIONS')),
    maxSandboxes: integer('INGOT_MAX_SANDBOXES', text('INGOT_MAX_SANDBOXES') ?? '16', 1, 10_000),
    trustProxy: readTrustProxy(text('INGOT_TRUST_PROXY')),
    signingKeyDays: integer('INGOT_SIGNING_KEY_DAYS', text('INGOT_SIGNING_KEY_DAYS') ?? '90', 1, 3_650),
    signIn: readSignIn(text),
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
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true
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

const readFlag = (text: ReadText, name: string, absent: boolean): boolean =>
  oneOf(name, text(name) ?? String(absent), ['true', 'false']) === 'true'

function readDays(text: ReadText, name: string): number | null {
  const value = text(name)
  return value === null ? null : integer(name, value, 1, 3_650)
}

const maxProxies = 10

/** With `true` every client would choose its own address: what stands at the left of X-Forwarded-For is the client's. */
function readTrustProxy(value: string | null): Config['trustProxy'] {
  if (value === null || value === 'false') return 0
  const addresses = value.split(',').map(part => part.trim())
  if (/^\d+$/.test(value) && Number(value) <= maxProxies) return Number(value)
  if (addresses.every(isNetwork)) return addresses
  throw new ConfigError(
    `INGOT_TRUST_PROXY is ${JSON.stringify(value)}. Write the number of proxies in front of the server, such as 1, or their addresses, such as 10.0.0.5,192.168.0.0/16`,
  )
}

/** An address, or a range of them in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address, bits, ...more] = text.split('/')
  const family = isIP(address!)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
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

/** Without a provider, a test cloud shows messages in its inbox; anywhere else nobody could read them. */
function readSms(text: ReadText, loopback: boolean): Config['sms'] {
  const url = text('INGOT_SMS_URL')
  if (!url) return loopback && readChain(text).kind === 'devnet' ? { kind: 'inbox' } : null
  if (!/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url))
    throw new ConfigError('INGOT_SMS_URL does not start with https://. Write https://api.twilio.com')
  const [account, token, from] = [text('INGOT_SMS_ACCOUNT'), text('INGOT_SMS_TOKEN'), text('INGOT_SMS_FROM')]
  if (!account || !token || !from)
    throw new ConfigError(
      'INGOT_SMS_URL needs INGOT_SMS_ACCOUNT, INGOT_SMS_TOKEN and INGOT_SMS_FROM beside it. The last is the sender, such as +4930123456',
    )
  return { kind: 'twilio', url: url.replace(/\/$/, ''), account, token, from }
}

function readChain(text: ReadText): Config['chain'] {
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

const minServiceKey = 32

function readSignIn(text: ReadText): SignInConfig {
  const github = readClient(text, 'GITHUB')
  const google = readClient(text, 'GOOGLE')
  const serviceKey = text('INGOT_SERVICE_KEY')
  if (serviceKey && (serviceKey.length < minServiceKey || /\s/.test(serviceKey))) {
    throw new ConfigError(
      `INGOT_SERVICE_KEY is too short or has spaces. Write at least ${minServiceKey} random characters, such as the output of: openssl rand -base64 32`,
    )
  }
  return {
    github: github && { ...github, ...readGithubUrls(text('INGOT_GITHUB_URL')) },
    google: google && { ...google, issuer: 'https://accounts.google.com', name: 'Google' },
    oidc: readOidc(text),
    samlKey: readSamlKey(text('INGOT_SAML_PRIVATE_KEY')),
    serviceKeyHash: serviceKey ? createHash('sha256').update(serviceKey).digest() : null,
  }
}

function readClient(text: ReadText, who: string): OAuthClient | null {
  const clientId = text(`INGOT_${who}_CLIENT_ID`)
  const clientSecret = text(`INGOT_${who}_CLIENT_SECRET`)
  if (!clientId && !clientSecret) return null
  if (!clientId || !clientSecret)
    throw new ConfigError(`Sign-in needs both INGOT_${who}_CLIENT_ID and INGOT_${who}_CLIENT_SECRET`)
  return { clientId, clientSecret }
}

/** A GitHub Enterprise Server has its API under its own address. */
function readGithubUrls(value: string | null): { url: string; apiUrl: string } {
  if (!value) return { url: 'https://github.com', apiUrl: 'https://api.github.com' }
  const url = readSecureUrl('INGOT_GITHUB_URL', value, 'https://github.example.com')
  return { url, apiUrl: `${url}/api/v3` }
}

const maxProviderName = 40

function readOidc(text: ReadText): OidcClient | null {
  const issuer = text('INGOT_OIDC_ISSUER')
  const client = readClient(text, 'OIDC')
  if (!issuer && !client) return null
  if (!issuer || !client)
    throw new ConfigError(
      'An OpenID Connect provider needs INGOT_OIDC_ISSUER, INGOT_OIDC_CLIENT_ID and INGOT_OIDC_CLIENT_SECRET',
    )
  const { hostname } = new URL(readSecureUrl('INGOT_OIDC_ISSUER', issuer))
  const name = text('INGOT_OIDC_NAME') ?? hostname
  if (name.length > maxProviderName)
    throw new ConfigError(`INGOT_OIDC_NAME is too long. Write at most ${maxProviderName} characters`)
  return { ...client, issuer, name }
}

/** Secrets travel there: only over TLS, except to this machine. */
function readSecureUrl(name: string, value: string, example = 'https://login.example.com'): string {
  const url = URL.canParse(value) ? new URL(value) : null
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!secure)
    throw new ConfigError(`${name} is ${JSON.stringify(value)}. Write an address such as ${example}`)
  return value.replace(/\/$/, '')
}

function readSamlKey(value: string | null): string | null {
  if (!value || value === 'generate') return value
  const advice = 'Write the path of a PEM file with an RSA key, or the word generate'
  let pem: string
  try {
    pem = readFileSync(value, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `INGOT_SAML_PRIVATE_KEY names a file that cannot be read (${(error as NodeJS.ErrnoException).code}). ${advice}`,
    )
  }
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem
  } catch {
    // Not a key at all: the same advice.
  }
  throw new ConfigError(`INGOT_SAML_PRIVATE_KEY names a file without an RSA private key. ${advice}`)
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
