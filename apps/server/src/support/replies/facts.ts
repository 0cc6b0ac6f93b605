/**
 * A customer's own rows, as far as a question is about them. Everything here is read by the ticket's `user_id`: no name or
 * id in a message leads to another's rows. What the customer linked comes first.
 */
import { moneyText } from '@ingot/contracts/money'
import type { ReplySource, TicketLink } from '@ingot/contracts/support'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

export interface Fact {
  readonly kind: ReplySource['kind']
  readonly title: string
  readonly url: string
  readonly text: string
}

type Link = Pick<TicketLink, 'kind' | 'id'>

const mostFacts = 6
const mostOfAKind = 3

const about = {
  instance:
    /\b(instances?|machines?|servers?|pods?|vms?|gpus?|notebooks?|stop(s|ped)?|start(s|ed|ing)?|shut ?down|idle|running|terminal|ssh|data|disk)\b/i,
  payment:
    /\b(deposit(s|ed)?|usdt|trc-?20|tron|crypto|transfer(s|red)?|transaction|tx|paid|payments?|top(ped)?[ -]?up|arriv(e|ed|ing)|confirmations?)\b/i,
  charge: /\b(charg(e|es|ed)|bill(s|ed|ing)?|costs?|spen[dt]|money|expensive|refund(s|ed)?|deduct(ed)?)\b/i,
  invoice: /\b(invoices?|receipts?|vat|tax)\b/i,
}

export async function readFacts(
  db: Db,
  userId: string,
  { question, links }: { readonly question: string; readonly links: readonly Link[] },
): Promise<Fact[]> {
  const linked = (kind: Link['kind']) => links.filter(link => link.kind === kind).map(({ id }) => id)
  const isAbout = (kind: keyof typeof about) => about[kind].test(question)
  const instances = await readInstances(db, userId, {
    ids: linked('instance'),
    question,
    also: isAbout('instance'),
  })
  const payments = await readPayments(db, userId, { ids: linked('payment'), also: isAbout('payment') })
  const invoices = await readInvoices(db, userId, { ids: linked('invoice'), also: isAbout('invoice') })
  const charges = isAbout('charge') ? await readCharges(db, userId) : []
  return [...instances, ...payments, ...invoices, ...charges].slice(0, mostFacts)
}

const time = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

interface Wanted {
  readonly ids: readonly string[]
  /** Not only those that were linked. */
  readonly also: boolean
}

interface InstanceRow {
  readonly id: string
  readonly name: string
  readonly gpu_count: number
  readonly gpu_type: string
  readonly region: string
  readonly status: string
  readonly status_message: string | null
  readonly hourly_cost_micro: bigint
  readonly started_at: string | null
  readonly stopped_at: string | null
  readonly auto_shutdown_enabled: boolean
  readonly auto_shutdown_minutes: number
}

async function readInstances(
  db: Db,
  userId: string,
  { ids, also, question }: Wanted & { readonly question: string },
): Promise<Fact[]> {
  const { rows } = await sql<InstanceRow & { is_meant: boolean }>`
    select * from (
      select id, name, gpu_count, gpu_type, region, status, status_message, hourly_cost_micro, started_at, stopped_at,
        auto_shutdown_enabled, auto_shutdown_minutes, updated_at,
        id = any(${ids}::uuid[]) as is_linked,
        id = any(${ids}::uuid[]) or length(name) > 2 and position(lower(name) in lower(${question})) > 0 as is_meant
      from gpu_instances where user_id = ${userId}) each
    where is_meant or ${also} and status <> 'terminated'
    order by is_linked desc, is_meant desc, updated_at desc limit ${mostOfAKind}`.execute(db)
  // Where some are meant, the others are not.
  const meant = rows.filter(row => row.is_meant)
  return (meant.length ? meant : rows).map(row => ({
    kind: 'instance',
    title: `Your instance ${row.name}`,
    url: `/console/instances/${row.id}`,
    text: instanceText(row),
  }))
}

function instanceText(row: InstanceRow): string {
  const { name, gpu_count, gpu_type, region, status, status_message, started_at, stopped_at } = row
  const since =
    status === 'running' && started_at
      ? ` since ${time(started_at)}`
      : status === 'stopped' && stopped_at
        ? ` since ${time(stopped_at)}`
        : ''
  const idle = row.auto_shutdown_enabled
    ? ` It stops by itself after ${row.auto_shutdown_minutes} idle minutes.`
    : ''
  const cost = status === 'running' ? ` It costs ${moneyText(row.hourly_cost_micro)} per hour.` : ''
  const reason = status_message
    ? ` ${status_message.slice(0, 300).replace(/\s+/g, ' ')}`.replace(/[^.!?]$/, '$&.')
    : ''
  return `${name} (${gpu_count} × ${gpu_type}, ${region}) is ${status}${since}.${reason}${cost}${status === 'terminated' ? '' : idle}`
}

const depositWords: Readonly<Record<string, string>> = {
  pending: 'has been seen and is not final yet: it is credited by itself when it is',
  credited: 'is credited',
  orphaned: 'was dropped by the network and is not credited',
  rejected: 'was not accepted',
  review: 'is held for review: a person looks at it before it is credited',
  below_minimum: 'is below the minimum and is held: it is credited when the sum reaches it',
}

async function readPayments(db: Db, userId: string, { ids, also }: Wanted): Promise<Fact[]> {
  const { rows } = await sql<{
    id: string
    amount: bigint
    state: string
    held_reason: string | null
    block_at: string
    hash: string
  }>`
    select id, amount_micro as amount, state, held_reason, block_at, encode(txid, 'hex') as hash from chain_deposit
    where user_id = ${userId} and (id = any(${ids}::uuid[]) or ${also})
    order by id = any(${ids}::uuid[]) desc, id desc limit ${ids.length || mostOfAKind}`.execute(db)
  if (rows.length === 0 && also)
    return [
      {
        kind: 'payment',
        title: 'Your deposits',
        url: '/console/billing',
        text: 'No deposit of yours has been seen on the chain.',
      },
    ]
  return rows.map(({ amount, state, held_reason, block_at, hash }) => ({
    kind: 'payment',
    title: `Your deposit of ${moneyText(amount)}`,
    url: '/console/billing',
    text: `The deposit of ${moneyText(amount)} of ${time(block_at)} (transaction ${hash.slice(0, 8)}) ${depositWords[held_reason ?? state] ?? depositWords[state] ?? state}.`,
  }))
}

async function readInvoices(db: Db, userId: string, { ids, also }: Wanted): Promise<Fact[]> {
  const { rows } = await sql<{ number: string; total: bigint; month: string; kind: string }>`
    select number, total_micro as total, to_char(month, 'YYYY-MM') as month, kind from invoice
    where user_id = ${userId} and (id = any(${ids}::uuid[]) or ${also})
    order by id = any(${ids}::uuid[]) desc, id desc limit ${ids.length || mostOfAKind}`.execute(db)
  return rows.map(({ number, total, month, kind }) => ({
    kind: 'invoice',
    title: `${kind === 'invoice' ? 'Invoice' : 'Credit note'} ${number}`,
    url: '/console/billing',
    text: `${kind === 'invoice' ? 'Invoice' : 'Credit note'} ${number} of ${month} is over ${moneyText(total)}.`,
  }))
}

/** What moved the wallet last, without deposits. */
async function readCharges(db: Db, userId: string): Promise<Fact[]> {
  const { rows } = await sql<{ description: string; amount: bigint; at: string; is_out: boolean }>`
    select t.description, t.amount_micro as amount, t.effective_at as at, t.from_account = w.account_id as is_out
    from wallets w join lateral (
      select * from ledger_transfer where user_id = ${userId} order by id desc limit 50) t
      on w.account_id in (t.from_account, t.to_account)
    where w.user_id = ${userId} and t.code <> 'deposit' order by t.id desc limit ${mostOfAKind}`.execute(db)
  if (rows.length === 0) return []
  const lines = rows.map(
    ({ description, amount, at, is_out }) =>
      `${time(at)}: ${is_out ? 'charged' : 'returned'} ${moneyText(amount)}, ${description}`,
  )
  return [
    {
      kind: 'charge',
      title: 'Your last charges',
      url: '/console/billing',
      text: `The last movements of your wallet: ${lines.join('; ')}.`,
    },
  ]
}
