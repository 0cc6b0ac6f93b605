import type { PricedRow } from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../../db/audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { getPrice } from './queries.ts'
import { said, subject } from './set-price.ts'

/** Returns what is taken back. */
export async function cancelPrice(
  tx: Tx,
  { gpu_type, holds_from, reason }: { gpu_type: string; holds_from: string; reason: string },
  at: string,
): Promise<PricedRow> {
  const price = await getPrice(tx, gpu_type, new Date(holds_from).toISOString(), at)
  if (!price) throw new IngotError('not_found')
  if (price.when !== 'future')
    throw new IngotError('invalid_state', { message: 'It holds already: set another from now on' })
  await giveReason(tx, reason)
  await sql`select cancel_gpu_price(gpu_type, holds_from) from gpu_price
    where gpu_type = ${gpu_type} and date_trunc('milliseconds', holds_from) = ${price.holds_from}`.execute(tx)
  await appendAudit(tx, { ...subject(gpu_type), before: said(price), after: { gpu: gpu_type } })
  return price
}
