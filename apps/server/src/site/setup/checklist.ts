/**
 * What is left to do before customers come. Each item is found out anew, from settings, rows and the very request that
 * asks; nobody ticks anything off. Sentences name what was seen, and never hold a secret.
 */
import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { SiteFile } from '@ingot/contracts/site/content'
import type { ChecklistItem, SetupItem, SetupState } from '@ingot/contracts/site/setup'
import { sql } from 'kysely'
import { listUnpriced } from '../../catalog/hosts.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Region } from '../../catalog/regions.ts'
import type { Config } from '../../config.ts'
import { isLoopback } from '../../config/variables.ts'
import type { Db } from '../../db/database.ts'
import type { Chain } from '../../wallet/chain.ts'
import { delayedMinutes } from '../../wallet/delay.ts'
import { partsOf } from './site-content.ts'

export interface ChecklistNeeds {
  readonly config: Pick<Config, 'publicUrl' | 'dataDir' | 'smtp' | 'invoices'>
  readonly regions: readonly Region[]
  readonly catalog: Catalog
  readonly chain: Pick<Chain, 'name' | 'networkName' | 'isTestNetwork'>
  readonly siteFile: SiteFile
}

/** The request that asks, as it arrived: behind proxies that the server was told of, as it left the browser. */
interface Asking {
  readonly protocol: string
  readonly hostname: string
}

/** Touched by whatever backs up, when it has. */
export const backupMark = 'last-backup'
const backupDays = 2
const dayMs = 86_400_000

type Found = Omit<ChecklistItem, 'name' | 'guide'>
const found = (state: SetupState, seen: string, todo = ''): Found => ({ state, seen, todo })

const selfHosting = '/docs/self-hosting'
const guides: Readonly<Record<SetupItem, string>> = {
  domain: `${selfHosting}/install#for-others`,
  tls: `${selfHosting}/install#for-others`,
  mail: `${selfHosting}/configuration#mail-and-phone`,
  chain: `${selfHosting}/configuration#money`,
  driver: `${selfHosting}/drivers`,
  prices: `${selfHosting}/own-cards`,
  legal: `${selfHosting}/site`,
  content: `${selfHosting}/site`,
  backup: `${selfHosting}/operations#back-up`,
}

export async function readChecklist(
  db: Db,
  needs: ChecklistNeeds,
  asking: Asking,
): Promise<{ items: ChecklistItem[]; open: number }> {
  const all: Readonly<Record<SetupItem, Found | Promise<Found>>> = {
    domain: domain(needs, asking),
    tls: tls(needs, asking),
    mail: mail(db, needs),
    chain: chain(db, needs),
    driver: driver(needs),
    prices: prices(db, needs),
    legal: legal(needs),
    content: content(needs),
    backup: backup(db, needs),
  }
  const items = await Promise.all(
    Object.entries(all).map(async ([name, item]) => ({
      name: name as SetupItem,
      ...(await item),
      guide: guides[name as SetupItem],
    })),
  )
  return { items, open: items.filter(({ state }) => state === 'open').length }
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

function domain({ config: { publicUrl } }: ChecklistNeeds, { hostname }: Asking): Found {
  const host = hostOf(publicUrl)
  if (isLoopback(host))
    return found(
      'open',
      `The public URL is ${publicUrl}: only this machine reaches it.`,
      'Set INGOT_PUBLIC_URL to the address that customers type.',
    )
  if (isIP(host))
    return found(
      'open',
      `The public URL is ${publicUrl}, an address of numbers.`,
      'Give the machine a name, and set INGOT_PUBLIC_URL to it.',
    )
  const came = hostname.replace(/:\d+$/, '')
  if (came !== host)
    return found(
      'open',
      `The public URL is ${publicUrl}, and this request came to ${came.slice(0, 100)}.`,
      'Let the proxy pass the name on that the browser asked for, or open this page at the public URL.',
    )
  return found('done', `The public URL is ${publicUrl}, and this request came to it.`)
}

function tls({ config: { publicUrl } }: ChecklistNeeds, { protocol }: Asking): Found {
  if (isLoopback(hostOf(publicUrl)))
    return found('not_applicable', 'Only this machine reaches the service, so nothing travels.')
  if (!publicUrl.startsWith('https:'))
    return found(
      'open',
      `The public URL is ${publicUrl}: passwords would travel in the clear.`,
      'Put a proxy with TLS in front, and set INGOT_PUBLIC_URL to its https address.',
    )
  if (protocol !== 'https')
    return found(
      'open',
      'The public URL is https, and this request arrived as plain http.',
      'Set INGOT_TRUST_PROXY, and let the proxy send X-Forwarded-Proto.',
    )
  return found('done', 'The public URL is https, and this request came by https.')
}

async function mail(db: Db, { config: { smtp } }: ChecklistNeeds): Promise<Found> {
  if (!smtp)
    return found(
      'open',
      'INGOT_SMTP_URL is not set: no mail leaves this machine.',
      'Set INGOT_SMTP_URL and INGOT_MAIL_FROM.',
    )
  const { rows } = await sql<{ last: string | null; waiting: number; failing: number }>`
    select (select max(sent_at) from mail where kind = 'mail') as last,
      (count(*) filter (where due_at is not null))::int as waiting,
      (count(*) filter (where due_at is not null and attempts > 0))::int as failing
    from mail where kind = 'mail' and sent_at is null`.execute(db)
  const { last, waiting, failing } = rows[0]!
  if (failing > 0)
    return found(
      'open',
      `INGOT_SMTP_URL is set, and the mail server refused or did not answer: ${counted(failing, 'mail')} will be tried again.`,
      'Look into the server’s log, and correct INGOT_SMTP_URL or INGOT_MAIL_FROM.',
    )
  if (last === null)
    return found(
      'open',
      `INGOT_SMTP_URL is set, and no mail was accepted yet${waiting ? `; ${counted(waiting, 'mail')} waits` : ''}.`,
      'Ask for a new password at /forgot-password with your own address: that sends one.',
    )
  return found('done', `INGOT_SMTP_URL is set, and the last mail was accepted at ${last}.`)
}

async function chain(db: Db, { chain: of }: ChecklistNeeds): Promise<Found> {
  if (of.isTestNetwork)
    return found(
      'open',
      'Payments run on the test chain: balances are play money.',
      'Set INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB, on a new database.',
    )
  const late = await delayedMinutes(db, of)
  if (late === undefined)
    return found(
      'open',
      `${of.networkName} is set, and no block of it was read yet.`,
      'Wait a minute, then look into the log.',
    )
  if (late !== null)
    return found(
      'open',
      `${of.networkName} is set, and its last block was read ${counted(late, 'minute')} ago.`,
      'See whether the endpoints of INGOT_TRON_ENDPOINT answer.',
    )
  return found('done', `${of.networkName} is set, and its blocks are read.`)
}

function driver({ regions }: ChecklistNeeds): Found {
  const offered = regions.filter(region => region.available)
  const said = `${counted(offered.length, 'region')} of ${regions.length} can be deployed in`
  if (offered.length === 0)
    return found('open', `${said}.`, regions[0]?.reason ?? 'Set INGOT_DRIVERS and INGOT_REGIONS.')
  const simulated = offered.filter(region => region.hardware === 'simulated')
  if (simulated.length > 0)
    return found(
      'open',
      `${said}; ${simulated.length === offered.length ? 'all' : simulated.map(({ name }) => name).join(', ')} with simulated GPUs.`,
      'Connect a host with cards: set INGOT_DRIVERS and INGOT_REGIONS.',
    )
  const drivers = [...new Set(offered.map(region => region.driver))].join(', ')
  return found('done', `${said}, with real GPUs, by ${drivers}.`)
}

async function prices(db: Db, { catalog }: ChecklistNeeds): Promise<Found> {
  const [{ gpus }, unpriced, { rows }] = await Promise.all([
    catalog.now(),
    listUnpriced(db),
    sql<{ name: string }>`select distinct gpu_type as name from gpu_price where holds_from > 'epoch'`.execute(
      db,
    ),
  ])
  const own = new Set(rows.map(({ name }) => name))
  const shipped = gpus.filter(({ name }) => !own.has(name)).length
  const said = `${counted(gpus.length, 'GPU')} on sale, ${shipped === 0 ? 'each at a price of your own' : `${shipped} of them at the price that comes with the product`}`
  if (unpriced.length > 0)
    return found(
      'open',
      `${said}; ${counted(unpriced.length, 'model')} of cards in your hosts without a price.`,
      'Hosts in the admin area lists them: set a price for each.',
    )
  if (gpus.length === 0) return found('open', 'No GPU is on sale.', 'Set a price for a GPU that you have.')
  return shipped === gpus.length
    ? found('open', `${said}.`, 'Set your own; the same again, from now on, counts.')
    : found('done', `${said}.`)
}

function legal({ siteFile, config: { invoices } }: ChecklistNeeds): Found {
  const missing = [
    ...(siteFile.legal_name ? [] : ['legal_name']),
    ...(siteFile.postal_address ? [] : ['postal_address']),
    ...(siteFile.privacy_email ? [] : ['privacy_email']),
  ]
  const todo = [
    ...(missing.length ? [`Write ${missing.join(', ')} into site.json`] : []),
    ...(invoices.seller.name ? [] : ['Set INGOT_INVOICE_NAME and INGOT_INVOICE_ADDRESS']),
  ]
  if (todo.length)
    return found(
      'open',
      [
        siteFile.legal_name
          ? `Customers contract with ${siteFile.legal_name}`
          : 'The terms name nobody whom customers contract with',
        invoices.seller.name ? `invoices are from ${invoices.seller.name}` : 'invoices have no sender',
      ].join('; ') + '.',
      `${todo.join('. ')}. Let a lawyer read /terms and /privacy.`,
    )
  return found(
    'done',
    `Customers contract with ${siteFile.legal_name}, and invoices are from ${invoices.seller.name}.`,
  )
}

function content({ siteFile }: ChecklistNeeds): Found {
  const parts = partsOf(siteFile)
  const samples = parts.filter(({ source }) => source === 'sample')
  return samples.length === 0
    ? found('done', 'Nothing on the public pages is a sample.')
    : found(
        'open',
        `${counted(samples.length, 'part')} of the public pages ${samples.length === 1 ? 'is a sample' : 'are samples'}, and marked so.`,
        'Write your own into site.json, or null where a part is to be hidden.',
      )
}

/** PostgreSQL says itself when it last archived; anything else says it by a file. */
async function backup(db: Db, { config: { dataDir } }: ChecklistNeeds): Promise<Found> {
  const [{ rows }, mark] = await Promise.all([
    sql<{ archived: string | null }>`select last_archived_time as archived from pg_stat_archiver`.execute(db),
    stat(join(dataDir, backupMark)).catch(() => null),
  ])
  const archived = rows[0]?.archived ? Date.parse(rows[0].archived) : -Infinity
  const marked = mark?.mtimeMs ?? -Infinity
  const last = Math.max(archived, marked)
  const todo = `Back PostgreSQL up daily, and let the job end with: touch ${backupMark} in the data folder.`
  if (last === -Infinity)
    return found('open', 'No backup was seen: PostgreSQL archives nothing, and no file marks one.', todo)
  const by = archived >= marked ? 'PostgreSQL archived' : 'A backup was marked'
  const seen = `${by} ${ago(Date.now() - last)} ago.`
  return Date.now() - last > backupDays * dayMs ? found('open', seen, todo) : found('done', seen)
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

function ago(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 60) return counted(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
}
