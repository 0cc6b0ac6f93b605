import { IngotError } from '@ingot/contracts/errors'
import {
  minimumWithdrawal,
  type Payout,
  type Withdrawal,
  type withdrawals,
} from '@ingot/contracts/withdrawals'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import type { Output } from '@ingot/contracts/operation'
import { toBase58 } from '@ingot/tron/address'
import { type RawBuilder, sql } from 'kysely'
import { freshUntil, getProof, type Proof } from '../auth/own-proof.ts'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, timeOrInfinity, uuid } from '../db/page.ts'
import type { SessionCaller } from '../http/bind.ts'
import type { Vault } from '../vault.ts'

interface Row extends Omit<Withdrawal, 'address'> {
  readonly address20: Buffer
}

const columns = sql`w.id, usd(w.amount_micro) as amount_usdt, w.address20, w.state as status, w.reason, w.asked_at,
  case when w.state in ('waiting', 'sending') then withdrawal_payable_at(w) end as payable_at, encode(w.txid, 'hex') as tx_hash`

const base58 = (address20: Buffer) => toBase58(address20.toString('hex'))
const present = ({ address20, ...row }: Row): Withdrawal => ({ ...row, address: base58(address20) })

/** Newest first. */
export async function listWithdrawals(
  db: Db,
  userId: string,
  { cursor, limit }: Paging,
): Promise<Page<Withdrawal>> {
  const [before] = readCursor(cursor, [uuid]) ?? [null]
  const { rows } = await sql<Row>`
    select ${columns} from withdrawal w where user_id = ${userId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [last.id])
  return { items: items.map(present), next_cursor }
}

export async function getWithdrawal(db: Db | Tx, userId: string, id: string): Promise<Withdrawal> {
  const { rows } = await sql<Row>`
    select ${columns} from withdrawal w where id = ${id} and user_id = ${userId}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return present(rows[0])
}

/** How much may go out now, when, and what its owner has to show. */
export async function getTerms(
  db: Db,
  config: Pick<Config, 'withdrawals'>,
  caller: SessionCaller,
  at: string,
): Promise<Output<typeof withdrawals.terms>> {
  const { rows } = await sql<{ withdrawable: string; payable_at: string }>`
    select usd(withdrawable(${caller.userId}, ${at})) as withdrawable,
      greatest(${at}::timestamptz, security_changed_at(${caller.userId})) + interval '1 day' as payable_at`.execute(
    db,
  )
  return {
    is_offered: config.withdrawals,
    ...rows[0]!,
    minimum_usdt: formatUsd(parseUsd(minimumWithdrawal)),
    proof: proofNeeded(await getProof(db, caller)),
  }
}

/** Null: the session has just shown a second factor. */
export function proofNeeded(proof: Proof): 'password' | 'factor' | null {
  if (proof.kind === 'password') return 'password'
  return freshUntil(proof) ? null : 'factor'
}

interface PayoutRow extends Omit<Payout, 'address' | 'contact'> {
  readonly address20: Buffer | null
  readonly contact_sealed: Buffer | null
}

const payouts = sql`(
  select ${columns}, 'withdrawal' as kind, w.user_id, null::bytea as contact_sealed from withdrawal w
  union all
  select r.id, usd(r.amount_micro), r.address20, case when r.status = 'paid' then 'paid' when r.is_sending then 'sending' else 'waiting' end,
    null, r.requested_at, case when r.status = 'open' then r.requested_at end, encode(r.txid, 'hex'), 'refund', r.user_id, r.contact_sealed
  from refund_request r)`

async function readPayouts(db: Db | Tx, vault: Vault, rest: RawBuilder<unknown>): Promise<Payout[]> {
  const { rows } = await sql<PayoutRow>`
    select p.*, (select email from auth_user u where u.id = p.user_id and u.deleted_at is null) as user_email from ${payouts} p ${rest}`.execute(
    db,
  )
  return rows.map(({ address20, contact_sealed, ...row }) => ({
    ...row,
    address: address20 && base58(address20),
    contact: contact_sealed && vault.open(contact_sealed, `refund:${row.id}`).toString(),
  }))
}

/** What is to be sent, oldest first; or what is over, newest first. */
export async function listPayouts(
  db: Db,
  vault: Vault,
  { state, cursor, limit }: Paging & { readonly state: 'open' | 'done' },
): Promise<Page<Payout>> {
  const [askedAt, id] = readCursor(cursor, [timeOrInfinity, uuid]) ?? [null, null]
  const isOpen = sql`status in ('waiting', 'sending')`
  const after = state === 'open' ? sql`>` : sql`<`
  const order = state === 'open' ? sql`asked_at, id` : sql`asked_at desc, id desc`
  const rows = await readPayouts(
    db,
    vault,
    sql`where ${state === 'open' ? isOpen : sql`not (${isOpen})`}
        and (${askedAt}::timestamptz is null or (asked_at, id) ${after} (${askedAt}::timestamptz, ${id}::uuid))
      order by ${order} limit ${limit + 1}`,
  )
  return page(rows, limit, last => [last.asked_at, last.id])
}

export async function getPayout(db: Tx, vault: Vault, id: string): Promise<Payout> {
  const [found] = await readPayouts(db, vault, sql`where id = ${id}`)
  if (!found) throw new IngotError('not_found')
  return found
}
