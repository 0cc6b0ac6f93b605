import { IngotError } from '@ingot/contracts/errors'
import { isId } from '@ingot/contracts/operation'
import { approvedConfirmations, type Payment } from '@ingot/contracts/payments'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'

const columns = sql`id, user_id, chain,
  case state when 'credited' then 'confirmed' when 'orphaned' then 'failed' when 'rejected' then 'failed' else 'pending' end as status,
  case when state = 'credited' and reviewed_at is not null then ${approvedConfirmations}::int else confirmations end as confirmations,
  confirmations as confirmations_seen, encode(txid, 'hex') as tx_hash, usd(amount_micro) as amount_usd, usd(amount_micro) as amount_usdt,
  state = 'held' and held_reason = 'review' as can_decide,
  case state when 'pending' then 'arriving' when 'orphaned' then 'dropped' when 'rejected' then 'rejected' else held_reason end as reason,
  review_note as note, created_at, coalesce(reviewed_at, created_at) as updated_at`

const stateIs: Readonly<Record<Payment['status'], RawBuilder<unknown>>> = {
  pending: sql`state in ('pending', 'held')`,
  confirmed: sql`state = 'credited'`,
  failed: sql`state in ('orphaned', 'rejected')`,
}

export interface PaymentFilter {
  readonly status?: Payment['status']
  readonly search?: string
}

/** Newest first. */
export async function listPayments(
  db: Db,
  { status, search, cursor, limit }: PaymentFilter & Paging,
): Promise<Page<Payment>> {
  const [before] = readCursor(cursor, [uuid]) ?? [null]
  const { rows } = await sql<Payment>`
    select ${columns} from chain_deposit
    where (${before}::uuid is null or id < ${before}::uuid) and ${status ? stateIs[status] : sql`true`} and ${matches(search?.trim())}
    order by id desc limit ${limit + 1}`.execute(db)
  return page(rows, limit, last => [last.id])
}

function matches(search: string | undefined): RawBuilder<unknown> {
  if (!search) return sql`true`
  if (isId(search)) return sql`user_id = ${search}`
  const hash = search.toLowerCase().replace(/^0x/, '')
  if (!/^[0-9a-f]+$/.test(hash)) return sql`false`
  return sql`starts_with(encode(txid, 'hex'), ${hash})`
}

export async function getPayment(db: Db | Tx, id: string): Promise<Payment> {
  const { rows } = await sql<Payment>`select ${columns} from chain_deposit where id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}
