import { IngotError } from '@ingot/contracts/errors'
import { approvedConfirmations, type Payment } from '@ingot/contracts/payments'
import { toBase58 } from '@ingot/tron/address'
import { type RawBuilder, sql } from 'kysely'
import { isId, isOf, readSearch, type Wanted } from '../auth/search.ts'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'

const isToDecide = sql`d.state = 'held' and d.held_reason = 'review'`
const columns = sql`d.id, d.user_id, (select email from auth_user where id = d.user_id) as user_email, chain,
  case state when 'credited' then 'confirmed' when 'orphaned' then 'failed' when 'rejected' then 'failed' else 'pending' end as status,
  case when state = 'credited' and reviewed_at is not null then ${approvedConfirmations}::int else confirmations end as confirmations,
  confirmations as confirmations_seen, encode(txid, 'hex') as tx_hash, block_number::int, from20, to20, usd(amount_micro) as amount_usd, usd(amount_micro) as amount_usdt,
  coalesce(${isToDecide}, false) as can_decide,
  case state when 'pending' then 'arriving' when 'orphaned' then 'dropped' when 'rejected' then 'rejected' else held_reason end as reason,
  review_note as note, created_at, coalesce(reviewed_at, created_at) as updated_at`

const stateIs: Readonly<Record<Payment['status'], RawBuilder<unknown>>> = {
  pending: sql`state in ('pending', 'held')`,
  confirmed: sql`state = 'credited'`,
  failed: sql`state in ('orphaned', 'rejected')`,
}

interface Row extends Omit<Payment, 'from_address' | 'to_address'> {
  readonly from20: Buffer
  readonly to20: Buffer
}

const base58 = (address20: Buffer) => toBase58(address20.toString('hex'))
const present = ({ from20, to20, ...row }: Row): Payment => ({
  ...row,
  from_address: base58(from20),
  to_address: base58(to20),
})

export interface PaymentFilter {
  readonly can_decide?: boolean
  readonly status?: Payment['status']
  readonly search?: string
  readonly user_id?: string
}

/** Newest first. */
export async function listPayments(
  db: Db,
  { status, can_decide, search, user_id, cursor, limit }: PaymentFilter & Paging,
): Promise<Page<Payment>> {
  const [before] = readCursor(cursor, [uuid]) ?? [null]
  const wanted = await readSearch(db, search)
  const { rows } = await sql<Row>`
    select ${columns} from chain_deposit d
    where (${before}::uuid is null or d.id < ${before}::uuid) and ${status ? stateIs[status] : sql`true`}
      and ${can_decide === undefined ? sql`true` : can_decide ? isToDecide : sql`not coalesce(${isToDecide}, false)`}
      and ${user_id ? sql`d.user_id = ${user_id}` : sql`true`} and ${wanted ? paymentMatches(wanted) : sql`true`}
    order by d.id desc limit ${limit + 1}`.execute(db)
  return page(rows.map(present), limit, last => [last.id])
}

/** A deposit `d` by its hash or id, or by whose it is. */
export function paymentMatches(wanted: Wanted): RawBuilder<unknown> {
  const hash = wanted.text.toLowerCase().replace(/^0x/, '')
  const isHash = /^[0-9a-f]{4,64}$/.test(hash)
  const [first, last] = ['0', 'f'].map(digit => Buffer.from(hash.padEnd(64, digit), 'hex'))
  return sql`(${isId(sql`d.id`, wanted.ids)} or ${isOf(sql`d.user_id`, wanted)} or ${isHash ? sql`d.txid between ${first} and ${last}` : sql`false`})`
}

export async function getPayment(db: Db | Tx, id: string): Promise<Payment> {
  const { rows } = await sql<Row>`select ${columns} from chain_deposit d where d.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return present(rows[0])
}
