/** Every variable that the server reads, in the sections of the reference. Those of `auth-variables.ts` stand beside. */
import { isIP } from 'node:net'
import { parseUsd } from '@ingot/contracts/money'
import { isAddress } from '@ingot/tron/address'
import { aiVariables } from './ai-variables.ts'
import { appsVariables } from './apps-variables.ts'
import { authSections } from './auth-variables.ts'
import { invoiceVariables } from './invoice-variables.ts'
import { machineCounts } from './machine-variables.ts'
import { sshVariables } from './ssh-variables.ts'
import { maxProxies, parseNetwork, parseProxies } from './networks.ts'
import { choice, integer, list, matching, sentence, text, variable, type Variables } from './variable.ts'

/** Those that need no engine. */
const ownDrivers = ['simulated', 'sandbox']

/** What an operator writes to insist. */
export const publicSandboxSentence = 'I accept that sandboxes share this kernel'
export const publicDockerSentence = 'I accept that containers share their host and its network'
const sellSimulatedSentence = 'I sell simulated GPUs for real money'

export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const address = {
  INGOT_ROLE: choice(['both', 'http', 'worker'] as const, {
    absent: 'both',
    does: 'What this server does: answer requests, do the work behind them, or both. Servers with `http` and `worker` share a PostgreSQL and container engines.',
  }),
  PORT: integer({ min: 0, max: 65_535, absent: 8080, does: 'The port that it listens on.' }),
  INGOT_HOST: matching(value => URL.canParse(originOf(value, 80)), {
    advice: 'Write an address of this machine, or 0.0.0.0 for every one',
    absent: 'localhost',
    does: 'The address that it listens on; `0.0.0.0` is every one of this machine.',
  }),
  INGOT_PUBLIC_URL: matching(value => /^https?:\/\/[^/?#]+\/?$/.test(value) && URL.canParse(value), {
    advice: 'Write an origin such as https://cloud.example.com',
    absent: null,
    shown: 'from the two above',
    does: 'The origin in links, mails and tokens: the address that people type.',
  }),
  INGOT_TRUST_PROXY: variable<number | readonly string[], number>(
    {
      kind: `Whole number, 0 to ${maxProxies}, or addresses such as \`10.0.0.5,192.168.0.0/16\`.`,
      // With `true` every client would choose its own address: the left end of the header is the client's.
      advice:
        'Write the number of proxies in front of the server, such as 1, or their addresses, such as 10.0.0.5,192.168.0.0/16',
      parse: parseProxies,
    },
    {
      absent: 0,
      does: 'How many proxies stand in front and add the visitor to `X-Forwarded-For`, or where they are.',
    },
  ),
} satisfies Variables

const data = {
  INGOT_DATA_DIR: text({ absent: '.ingot', does: 'The folder of the database, the machines and the keys.' }),
  DATABASE_URL: matching(value => /^postgres(ql)?:\/\//.test(value), {
    problem: 'does not start with postgres://',
    advice: 'Write postgres://user:password@host:5432/database',
    absent: null,
    shown: 'embedded',
    does: 'A PostgreSQL of your own, version 15 or newer. Its user owns the database and may create roles.',
  }),
  INGOT_SECRET: text({
    absent: null,
    shown: 'made and kept in the data folder',
    does: 'Seals secrets at rest; without it a copy of the database opens nothing.',
  }),
} satisfies Variables

const parseEndpoint = (text: string) =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined
/** Empty where an endpoint has none of its own. */
const parseOwnEndpoint = (text: string) => (text === '' ? '' : parseEndpoint(text))
const inTheirOrder = {
  kind: 'Addresses in the order of the endpoints, with commas between; one may be empty.',
  problem: 'does not start with https://',
  advice:
    'Write an address for each of INGOT_TRON_ENDPOINT, with commas between, or nothing for one that needs none',
}

const money = {
  INGOT_TRON_ENDPOINT: list(parseEndpoint, {
    kind: 'Addresses, with commas between.',
    problem: 'does not start with https://',
    advice: 'Write the address of a TRON node or service, such as https://api.trongrid.io',
    absent: [],
    shown: 'test chain',
    does: 'TRON nodes or services, over https. The first is asked; where it fails, the next one is, for a while.',
  }),
  INGOT_TRON_SOLID_ENDPOINT: list(parseOwnEndpoint, {
    ...inTheirOrder,
    absent: [],
    shown: 'the endpoint',
    does: 'Where `/walletsolidity` is, when a node has it on another port.',
  }),
  INGOT_TRON_JSON_RPC_ENDPOINT: list(parseOwnEndpoint, {
    ...inTheirOrder,
    absent: [],
    shown: 'the endpoint with `/jsonrpc`',
    does: 'The full address of JSON-RPC, when it is elsewhere.',
  }),
  INGOT_TRON_API_KEY: list(key => key, {
    kind: 'In the order of the endpoints, with commas between; may be empty.',
    advice: '',
    absent: [],
    shown: 'none',
    does: 'The keys for those services: one alone is the first’s. Each is sent to the host of its endpoint, and nowhere else.',
  }),
  INGOT_TRON_XPUB: text({
    absent: null,
    shown: 'test chain',
    does: 'The public key of the account that deposit addresses are derived from.',
  }),
  INGOT_TRON_CONTRACT: text({
    absent: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    shown: 'USDT',
    does: 'Another token contract.',
  }),
  INGOT_DEPOSIT_REVIEW_USDT: variable<bigint, null>(
    {
      kind: 'An amount of USDT, such as `5000`.',
      advice: 'Write an amount of USDT, such as 5000',
      parse: text => (/^\d{1,12}(\.\d{1,6})?$/.test(text) ? parseUsd(text) : undefined),
    },
    {
      absent: null,
      shown: 'off',
      does: 'A single transfer above it is credited only when a person has approved it.',
    },
  ),
  INGOT_CREDIT: choice(['off', 'on'] as const, {
    absent: 'off',
    does: 'The first deposit of $10 or more brings $10 of credit, once for an account. With withdrawals on, the deposit can be taken back and the credit be kept.',
  }),
  INGOT_CREDIT_DAYS: integer({ min: 1, max: 3_650, absent: 90, does: 'How many days credit can be used.' }),
  INGOT_TRON_NETWORK: text({ absent: 'TRON (TRC20)', does: 'What the network is called on screens.' }),
  INGOT_TRON_PAYOUT_ADDRESSES: list(text => (text.startsWith('T') && isAddress(text) ? text : undefined), {
    kind: 'TRON addresses, with commas between.',
    advice: 'Write addresses such as TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    absent: [],
    shown: 'none',
    does: 'Addresses of yours that withdrawals and refunds are sent from, beside deposit addresses.',
  }),
  INGOT_WITHDRAWALS: choice(['off', 'on'] as const, {
    absent: 'off',
    does: 'Customers may ask for unspent deposits back. An operator sends them by hand.',
  }),
} satisfies Variables

const letters = {
  INGOT_SMTP_URL: matching(value => /^smtps?:\/\//.test(value), {
    problem: 'does not start with smtp:// or smtps://',
    advice: 'Write smtps://user:password@mail.example.com',
    absent: null,
    shown: '`/dev/mail`',
    does: 'The server that sends mail: `smtps://user:password@host`.',
  }),
  INGOT_MAIL_FROM: text({
    absent: null,
    does: 'The sender, needed with it: `Ingot <no-reply@example.com>`.',
  }),
  INGOT_SMS_URL: matching(
    value => /^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(value),
    {
      problem: 'does not start with https://',
      advice: 'Write https://api.twilio.com',
      absent: null,
      shown: 'phones are not offered',
      does: 'The provider of text messages: `https://api.twilio.com`, or one that answers the same call.',
    },
  ),
  INGOT_SMS_ACCOUNT: text({ absent: null, does: 'The account there, needed with it.' }),
  INGOT_SMS_TOKEN: text({ absent: null, does: 'The account’s token, needed with it.' }),
  INGOT_SMS_FROM: text({ absent: null, does: 'The sender, needed with it, such as `+4930123456`.' }),
  INGOT_SUPPORT_HOURS: matching(value => value.length <= 80, {
    problem: 'is too long',
    advice: 'Write at most 80 characters, such as 08:00 to 20:00 UTC',
    absent: null,
    shown: 'not said',
    does: 'When people answer tickets, as customers read it: `08:00 to 20:00 UTC`.',
  }),
} satisfies Variables

const minServiceKey = 32
const maxProviderName = 40

/** Secrets travel there: only over TLS, except to this machine. */
function isSecureUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

const providers = {
  INGOT_GITHUB_CLIENT_ID: text({ absent: null, shown: 'not offered', does: 'Sign-in with GitHub.' }),
  INGOT_GITHUB_CLIENT_SECRET: text({ absent: null, does: 'Needed with it.' }),
  INGOT_GITHUB_URL: matching(isSecureUrl, {
    advice: 'Write an address such as https://github.example.com',
    absent: 'https://github.com',
    does: 'The address of a GitHub Enterprise Server.',
  }),
  INGOT_GOOGLE_CLIENT_ID: text({ absent: null, shown: 'not offered', does: 'Sign-in with Google.' }),
  INGOT_GOOGLE_CLIENT_SECRET: text({ absent: null, does: 'Needed with it.' }),
  INGOT_OIDC_ISSUER: matching(isSecureUrl, {
    advice: 'Write an address such as https://login.example.com',
    absent: null,
    shown: 'not offered',
    does: 'Sign-in with any OpenID Connect provider: its issuer.',
  }),
  INGOT_OIDC_CLIENT_ID: text({ absent: null, does: 'Needed with it.' }),
  INGOT_OIDC_CLIENT_SECRET: text({ absent: null, does: 'Needed with it.' }),
  INGOT_OIDC_NAME: matching(value => value.length <= maxProviderName, {
    problem: 'is too long',
    advice: `Write at most ${maxProviderName} characters`,
    absent: null,
    shown: 'the issuer’s host',
    does: 'What its button says.',
  }),
  INGOT_SAML_PRIVATE_KEY: text({
    absent: null,
    shown: 'not offered',
    does: 'Single sign-on with SAML: `generate`, or the path of a PEM file with an RSA key.',
  }),
  INGOT_SERVICE_KEY: matching(value => value.length >= minServiceKey && !/\s/.test(value), {
    problem: 'is too short or has spaces',
    advice: `Write at least ${minServiceKey} random characters, such as the output of: openssl rand -base64 32`,
    absent: null,
    does: `The key with which a program administers accounts; at least ${minServiceKey} characters.`,
  }),
  INGOT_SIGNING_KEY_DAYS: integer({
    min: 1,
    max: 3_650,
    absent: 90,
    does: 'After so many days another key signs access tokens.',
  }),
} satisfies Variables

const machines = {
  INGOT_DRIVERS: list(parseEngine, {
    kind: '`docker=address`, or `docker:name=address` for several, with commas between. Addresses: `unix:///var/run/docker.sock`, or `tcp://host:2376` with TLS.',
    advice:
      'Write container engines with their addresses, such as docker=unix:///var/run/docker.sock,docker:eu=tcp://10.0.0.5:2376',
    absent: [],
    shown: 'none',
    does: 'Docker Engines that machines run on.',
  }),
  INGOT_REGIONS: list(parseRegion, {
    kind: `\`region=driver\`, with commas between. Regions: those of the catalogue, and \`*\` for all others; drivers: ${ownDrivers.join(', ')}, and those of \`INGOT_DRIVERS\`.`,
    advice: `Write regions with their drivers, such as US-East=sandbox,Middle-East=simulated. Drivers are ${ownDrivers.join(', ')}, and those that INGOT_DRIVERS names`,
    absent: [],
    shown: 'what the first start found',
    does: 'Which driver serves a region. Real cards are sold only in regions that are named here.',
  }),
  INGOT_DOCKER_CERTS: text({
    absent: null,
    does: 'A folder with `ca.pem`, `cert.pem` and `key.pem`, for engines that are reached by TCP.',
  }),
  INGOT_DOCKER_NETWORKS: matching(value => parseNetwork(value) !== undefined && value.includes('/'), {
    kind: 'A range of IPv4 addresses, such as `10.213.0.0/16`.',
    advice: 'Write a range of addresses such as 10.213.0.0/16',
    absent: '10.213.0.0/16',
    does: 'Customers’ networks on container engines are blocks of this range. Nothing else on their hosts may use it.',
  }),
  INGOT_KEEPER_HOST: matching(value => /^[\w.:-]{1,253}$/.test(value), {
    advice: 'Write an address of this server that the others reach, such as 10.0.0.5',
    absent: null,
    shown: 'the address that PostgreSQL sees',
    does: 'Where a server that shares its engines keeps terminals for the others: an address of its own that they reach.',
  }),
  INGOT_REGISTRIES: list(parseRegistry, {
    kind: '`host` or `host:port`, with commas between.',
    advice: 'Write registries such as registry.internal:5000',
    absent: [],
    shown: 'none',
    does: 'Registries at private addresses from which container engines may pull images all the same.',
  }),
  ...machineCounts,
  INGOT_DISK_OVERCOMMIT: variable<number, null>(
    {
      kind: 'A number, 0.1 to 100, or `unlimited`.',
      advice: 'Write how many times the space of a host its disks may be sold, such as 1.5, or unlimited',
      parse(text) {
        if (text === 'unlimited') return Infinity
        const times = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
        return times >= 0.1 && times <= 100 ? times : undefined
      },
    },
    {
      absent: null,
      shown: '`1`; on the devnet `unlimited`',
      does: 'Disks and volumes on a host are sold up to so many times its free space and what they already take.',
    },
  ),
  INGOT_PUBLIC_SANDBOX: sentence(
    publicSandboxSentence,
    'Offers sandboxes on a public address, though they share the host’s kernel. To be written word for word.',
  ),
  INGOT_PUBLIC_DOCKER: sentence(
    publicDockerSentence,
    'Offers containers on a public address, though they reach what they should not. To be written word for word.',
  ),
  INGOT_SELL_SIMULATED: sentence(
    sellSimulatedSentence,
    'Sells simulated GPUs for real money. To be written word for word.',
  ),
  INGOT_LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    absent: 'warn',
    does: 'What is logged, from this level up.',
  }),
} satisfies Variables

const engineName = /^docker(:[a-z\d][a-z\d-]{0,30})?$/

function parseRegion(entry: string) {
  const [region, driver = '', ...more] = entry.split('=').map(part => part.trim())
  const isDriver = ownDrivers.includes(driver) || engineName.test(driver)
  return region && isDriver && more.length === 0 ? ([region, driver] as const) : undefined
}

function parseRegistry(entry: string) {
  const isRight = /^[a-z\d]([a-z\d.-]*[a-z\d])?(:\d{1,5})?$/i.test(entry)
  return isRight ? ([entry.toLowerCase(), true] as const) : undefined
}

function parseEngine(entry: string) {
  const [name = '', address = '', ...more] = entry.split('=').map(part => part.trim())
  const isAddress = /^unix:\/\/\/[^?#]+$/.test(address) || /^tcp:\/\/[^/?#@]+:\d+$/.test(address)
  const isRight = engineName.test(name) && isAddress && URL.canParse(address) && more.length === 0
  return isRight ? ([name, address] as const) : undefined
}

export const variables = {
  ...address,
  ...sshVariables,
  ...appsVariables,
  ...data,
  ...money,
  ...invoiceVariables,
  ...letters,
  ...aiVariables,
  ...providers,
  ...machines,
} satisfies Variables

export interface Section {
  readonly title: string
  /** Above the table. */
  readonly note?: string
  readonly variables: Variables
}

export const sections: readonly Section[] = [
  { title: 'Role and address', variables: address },
  { title: 'SSH', variables: sshVariables },
  { title: 'Ports', variables: appsVariables },
  { title: 'Data', variables: data },
  {
    title: 'Money',
    note: 'No private key ever reaches the server. Keep the wallet that belongs to the public key offline.',
    variables: money,
  },
  {
    title: 'Invoices',
    note: 'Without a name they are plain statements. What is set is written into each invoice when it is numbered; earlier ones stay as they were. Prices include the tax: nothing is added to them.',
    variables: invoiceVariables,
  },
  { title: 'Mail and phone', variables: letters },
  {
    title: 'Automated replies',
    note: 'An administrator switches them on, under *AI settings*. They need none of these: without a model they are put together from the documentation and the customer’s own rows. A model writes from the same, and what it writes is checked before it is sent.',
    variables: aiVariables,
  },
  {
    title: 'Ways to sign in',
    note: 'Each is off until it is set, and then has a button.',
    variables: providers,
  },
  ...authSections,
  { title: 'Machines', variables: machines },
]
