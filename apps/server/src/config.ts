/**
 * What the environment says, checked once, at start; nothing else reads it. Each variable is declared in `config/`, and
 * a wrong one is a `ConfigError` whose message says which it is, what is wrong and what to write.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { type AiConfig, readAi } from './config/ai-variables.ts'
import { readAppsHost } from './config/apps-variables.ts'
import { authVariables } from './config/auth-variables.ts'
import { ConfigError } from './config/config-error.ts'
import { type MachineCounts, readMachineCounts } from './config/machine-variables.ts'
import { readSamlKey } from './config/saml-key.ts'
import { readSsh } from './config/ssh-variables.ts'
import { findUnknown } from './config/unknown-variables.ts'
import { type Environment, readVariables, type Values } from './config/variable.ts'
import { isLoopback, originOf, variables } from './config/variables.ts'

/** `simulated`, `sandbox`, or a container engine's, such as `docker` and `docker:eu`. */
export type DriverName = string

export type Role = 'both' | 'http' | 'worker'

export interface Config extends MachineCounts {
  readonly role: Role
  readonly host: string
  readonly port: number
  /** Nobody outside this machine can connect: neither to the listener nor, through a proxy, by the public URL. */
  readonly loopback: boolean
  /** Origin of links in mails and of tokens, without a trailing slash. */
  readonly publicUrl: string
  /** The host below which ports of instances have names of their own; null: ports are off. */
  readonly appsHost: string | null
  /** Somebody wrote the public address: no other name leads to the console. */
  readonly namesConsole: boolean
  /** The SSH gateway; null: there is none. `isGiven`: on this port or not at all. */
  readonly ssh: { readonly host: string; readonly port: number; readonly isGiven: boolean } | null
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
  readonly invoices: InvoiceConfig
  /** When people answer tickets, in the operator's words. */
  readonly supportHours: string | null
  readonly ai: AiConfig
  /** What is set about accounts, by the variables' names; `auth/settings.ts` says what it means. */
  readonly auth: AuthConfig
  readonly chain:
    | { readonly kind: 'devnet' }
    | {
        readonly kind: 'tron'
        /** In the order in which they are asked. */
        readonly endpoints: readonly ChainEndpoint[]
        readonly xpub: string
        readonly contract: string
        readonly network: string
      }
  /** In micro-USD: a single transfer above it waits for a person; null: none does. */
  readonly depositReview: bigint | null
  /** How long the credit for a first deposit can be used; null: none is given. */
  readonly creditDays: number | null
  /** Customers may ask for unspent deposits back. */
  readonly withdrawals: boolean
  /** Base58: withdrawals and refunds are sent from them, beside deposit addresses. */
  readonly payoutAddresses: readonly string[]
  /** Which driver serves a region, by its name; `*` those without an entry. Others get what the first start found. */
  readonly regions: Readonly<Partial<Record<string, DriverName>>>
  /** Addresses of container engines, by the names of their drivers. */
  readonly engines: Readonly<Record<DriverName, string>>
  /** A folder; null: no engine is reached by TCP, or only on this machine. */
  readonly certificates: string | null
  /** A range, of which customers' networks are blocks. */
  readonly containerNetworks: string
  /** Where other servers reach a keeper of terminals that this one starts; null: where PostgreSQL sees it. */
  readonly keeperHost: string | null
  /** At private addresses, and pulled from all the same. */
  readonly registries: readonly string[]
  /** How many times the space of a host its disks may be sold; null: however often. */
  readonly diskOvercommit: number | null
  /** How many proxies stand in front, or their addresses; 0: none, and no forwarded header is believed. */
  readonly trustProxy: number | readonly string[]
  /** After so many days another key signs access tokens. */
  readonly signingKeyDays: number
  /** Who else vouches for users, and for administrators' programs. */
  readonly signIn: SignInConfig
  readonly insists: {
    /** Sandboxes share the host's kernel; on a public listener the operator says in writing that this is meant. */
    readonly publicSandbox: boolean
    /** Containers too, and they reach what their host's network reaches. */
    readonly publicDocker: boolean
    /** Simulated GPUs for real money. */
    readonly sellSimulated: boolean
  }
  /** Variables that look like settings and are none. */
  readonly unknown: readonly string[]
}

export interface ChainEndpoint {
  readonly url: string
  readonly solidUrl?: string
  readonly jsonRpcUrl?: string
  readonly apiKey?: string
}

export type AuthConfig = Values<typeof authVariables>

export interface InvoiceConfig {
  readonly prefix: string
  /** As it is frozen into an invoice. An empty name: a plain statement. */
  readonly seller: Seller
}

export interface Seller {
  readonly name: string
  readonly address: readonly string[]
  readonly tax_number: string
  readonly tax_name: string
  /** In hundredths of a percent; 0: no line of tax. */
  readonly tax_rate: number
  readonly note: string
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

type Given = Values<typeof variables>

export function readConfig(env: Environment): Config {
  const unknown = findUnknown(env, [...Object.keys(variables), ...Object.keys(authVariables)])
  const given = readVariables(variables, env)
  const { PORT: port, INGOT_HOST: host } = given
  const publicUrl = (given.INGOT_PUBLIC_URL ?? originOf(host, port)).replace(/\/$/, '')
  const loopback = isLoopback(host) && isLoopback(new URL(publicUrl).hostname)
  assertRole(given)
  return {
    role: given.INGOT_ROLE,
    host,
    port,
    loopback,
    publicUrl,
    appsHost: readAppsHost(given.INGOT_APPS_HOST, { publicUrl, loopback }),
    namesConsole: given.INGOT_PUBLIC_URL !== null,
    ssh: readSsh(given, publicUrl),
    dataDir: resolve(given.INGOT_DATA_DIR),
    databaseUrl: given.DATABASE_URL,
    secret: given.INGOT_SECRET,
    logLevel: given.INGOT_LOG_LEVEL,
    smtp: readSmtp(given),
    sms: readSms(given, loopback),
    invoices: readInvoices(given),
    supportHours: given.INGOT_SUPPORT_HOURS,
    ai: readAi(given),
    auth: readVariables(authVariables, env),
    chain: readChain(given),
    depositReview: given.INGOT_DEPOSIT_REVIEW_USDT,
    creditDays: given.INGOT_CREDIT === 'on' ? given.INGOT_CREDIT_DAYS : null,
    withdrawals: given.INGOT_WITHDRAWALS === 'on',
    payoutAddresses: given.INGOT_TRON_PAYOUT_ADDRESSES,
    ...readDrivers(given),
    certificates: given.INGOT_DOCKER_CERTS,
    containerNetworks: given.INGOT_DOCKER_NETWORKS,
    keeperHost: given.INGOT_KEEPER_HOST,
    registries: given.INGOT_REGISTRIES.map(([registry]) => registry),
    ...readMachineCounts(given),
    diskOvercommit: readOvercommit(given),
    trustProxy: given.INGOT_TRUST_PROXY,
    signingKeyDays: given.INGOT_SIGNING_KEY_DAYS,
    signIn: readSignIn(given),
    insists: {
      publicSandbox: given.INGOT_PUBLIC_SANDBOX,
      publicDocker: given.INGOT_PUBLIC_DOCKER,
      sellSimulated: given.INGOT_SELL_SIMULATED,
    },
    unknown,
  }
}

function readInvoices(given: Given): InvoiceConfig {
  const lines = (given.INGOT_INVOICE_ADDRESS ?? '').split(';').map(line => line.trim())
  return {
    prefix: given.INGOT_INVOICE_PREFIX,
    seller: {
      name: given.INGOT_INVOICE_NAME ?? '',
      address: lines.filter(line => line !== ''),
      tax_number: given.INGOT_INVOICE_TAX_NUMBER ?? '',
      tax_name: given.INGOT_INVOICE_TAX_NAME,
      tax_rate: given.INGOT_INVOICE_TAX_RATE ?? 0,
      note: given.INGOT_INVOICE_NOTE ?? '',
    },
  }
}

function readOvercommit(given: Given): number | null {
  const times = given.INGOT_DISK_OVERCOMMIT
  if (times === null) return readChain(given).kind === 'devnet' ? null : 1
  return times === Infinity ? null : times
}

export const isDevnet = (config: Config): boolean => config.chain.kind === 'devnet'
/** One rule, everywhere: `/dev/*`, the faucet and the movable clock exist only here. */
export const hasDevTools = (config: Config): boolean => isDevnet(config) && config.loopback

/** What comes with the product runs in one server, which is the only one of its database with all of it. */
function assertRole(given: Given): void {
  const { INGOT_ROLE: role, INGOT_REGIONS: bound } = given
  if (role === 'both') return
  const need = (what: string, how: string) =>
    new ConfigError(
      `INGOT_ROLE=${role} needs ${what}. ${how}, or leave INGOT_ROLE out to run all in one server`,
    )
  if (!given.DATABASE_URL)
    throw need('a PostgreSQL that all servers share, not the embedded one', 'Set DATABASE_URL')
  if (!given.INGOT_SECRET)
    throw need(
      'the secret that all servers share, not one of its own',
      'Set INGOT_SECRET, the same everywhere',
    )
  if (readChain(given).kind === 'devnet')
    throw need('a real chain, not the test chain', 'Set INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB')
  if (given.INGOT_DRIVERS.length === 0)
    throw need('container engines that all servers reach, not the sandbox', 'Set INGOT_DRIVERS')
  const own = bound.find(([, driver]) => !driver.startsWith('docker'))
  if (own) throw need(`another driver for ${own[0]} than ${own[1]}`, 'Correct INGOT_REGIONS')
}

function readDrivers({
  INGOT_DRIVERS: named,
  INGOT_REGIONS: bound,
  INGOT_DOCKER_CERTS: certificates,
}: Given): Pick<Config, 'engines' | 'regions'> {
  const engines = Object.fromEntries(named)
  if (Object.keys(engines).length < named.length)
    throw new ConfigError('INGOT_DRIVERS names a driver twice. Give each engine a name of its own')
  const remote = named.find(
    ([, address]) => address.startsWith('tcp:') && !isLoopback(new URL(address).hostname),
  )
  if (remote && !certificates)
    throw new ConfigError(
      `INGOT_DRIVERS has ${remote[0]} on another host, which is reached with TLS alone. Set INGOT_DOCKER_CERTS to a folder with ca.pem, cert.pem and key.pem`,
    )
  const missing = bound.find(([, driver]) => driver.startsWith('docker') && !Object.hasOwn(engines, driver))
  if (missing)
    throw new ConfigError(
      `INGOT_REGIONS binds ${missing[0]} to ${missing[1]}, which INGOT_DRIVERS does not name. Add ${missing[1]}=unix:///var/run/docker.sock to INGOT_DRIVERS`,
    )
  return { engines, regions: Object.fromEntries(bound) }
}

function readSmtp({ INGOT_SMTP_URL: url, INGOT_MAIL_FROM: from }: Given): Config['smtp'] {
  if (!url) return null
  if (!from)
    throw new ConfigError(
      'INGOT_SMTP_URL is set but INGOT_MAIL_FROM is not. Write the sender, such as Ingot <no-reply@example.com>',
    )
  return { url, from }
}

/** Without a provider, a test cloud shows messages in its inbox; anywhere else nobody could read them. */
function readSms(given: Given, loopback: boolean): Config['sms'] {
  const {
    INGOT_SMS_URL: url,
    INGOT_SMS_ACCOUNT: account,
    INGOT_SMS_TOKEN: token,
    INGOT_SMS_FROM: from,
  } = given
  if (!url) return loopback && readChain(given).kind === 'devnet' ? { kind: 'inbox' } : null
  if (!account || !token || !from)
    throw new ConfigError(
      'INGOT_SMS_URL needs INGOT_SMS_ACCOUNT, INGOT_SMS_TOKEN and INGOT_SMS_FROM beside it. The last is the sender, such as +4930123456',
    )
  return { kind: 'twilio', url: url.replace(/\/$/, ''), account, token, from }
}

function readChain(given: Given): Config['chain'] {
  const { INGOT_TRON_ENDPOINT: urls, INGOT_TRON_XPUB: xpub } = given
  if (!urls.length && !xpub) return { kind: 'devnet' }
  if (!urls.length || !xpub)
    throw new ConfigError('A real chain needs both INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB')
  return {
    kind: 'tron',
    endpoints: readEndpoints(urls, given),
    xpub,
    contract: given.INGOT_TRON_CONTRACT,
    network: given.INGOT_TRON_NETWORK,
  }
}

function readEndpoints(urls: readonly string[], given: Given): ChainEndpoint[] {
  const lists = {
    solidUrl: 'INGOT_TRON_SOLID_ENDPOINT',
    jsonRpcUrl: 'INGOT_TRON_JSON_RPC_ENDPOINT',
    apiKey: 'INGOT_TRON_API_KEY',
  } as const
  for (const name of Object.values(lists))
    if (given[name].length > urls.length)
      throw new ConfigError(
        `${name} has ${given[name].length} entries for ${urls.length} of INGOT_TRON_ENDPOINT. Write one for each, in the same order`,
      )
  return urls.map((url, index) => ({
    url,
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([key, name]) => (given[name][index] ? [[key, given[name][index]]] : [])),
    ),
  }))
}

function readSignIn(given: Given): SignInConfig {
  const github = readClient(given, 'GITHUB')
  const google = readClient(given, 'GOOGLE')
  const serviceKey = given.INGOT_SERVICE_KEY
  return {
    github: github && { ...github, ...githubUrls(given.INGOT_GITHUB_URL.replace(/\/$/, '')) },
    google: google && { ...google, issuer: 'https://accounts.google.com', name: 'Google' },
    oidc: readOidc(given),
    samlKey: readSamlKey(given.INGOT_SAML_PRIVATE_KEY),
    serviceKeyHash: serviceKey ? createHash('sha256').update(serviceKey).digest() : null,
  }
}

function readClient(given: Given, who: 'GITHUB' | 'GOOGLE' | 'OIDC'): OAuthClient | null {
  const clientId = given[`INGOT_${who}_CLIENT_ID`]
  const clientSecret = given[`INGOT_${who}_CLIENT_SECRET`]
  if (!clientId && !clientSecret) return null
  if (!clientId || !clientSecret)
    throw new ConfigError(`Sign-in needs both INGOT_${who}_CLIENT_ID and INGOT_${who}_CLIENT_SECRET`)
  return { clientId, clientSecret }
}

/** A GitHub Enterprise Server has its API under its own address. */
const githubUrls = (url: string) => ({
  url,
  apiUrl: url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`,
})

function readOidc(given: Given): OidcClient | null {
  const issuer = given.INGOT_OIDC_ISSUER
  const client = readClient(given, 'OIDC')
  if (!issuer && !client) return null
  if (!issuer || !client)
    throw new ConfigError(
      'An OpenID Connect provider needs INGOT_OIDC_ISSUER, INGOT_OIDC_CLIENT_ID and INGOT_OIDC_CLIENT_SECRET',
    )
  return { ...client, issuer, name: given.INGOT_OIDC_NAME ?? new URL(issuer).hostname }
}
