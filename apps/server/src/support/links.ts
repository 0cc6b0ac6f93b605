/** What a message is about, as it stands when that is sent. Another's, and what is not there, is an error at the field. */
import { IngotError } from '@ingot/contracts/errors'
import { moneyText } from '@ingot/contracts/money'
import { type linkKinds, type TicketLink } from '@ingot/contracts/support'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

export interface Link {
  readonly kind: (typeof linkKinds)[number]
  readonly id: string
}

export async function frozenLinks(tx: Tx, userId: string, links: readonly Link[]): Promise<TicketLink[]> {
  const frozen: TicketLink[] = []
  for (const link of links) {
    const found = await readers[link.kind](tx, userId, link.id)
    if (!found)
      throw new IngotError('validation_failed', {
        fields: { links: `no ${link.kind} of yours is ${link.id}` },
      })
    frozen.push({ ...link, ...found })
  }
  return frozen
}

type Words = Pick<TicketLink, 'title' | 'detail'>
type Read = (tx: Tx, userId: string, id: string) => Promise<Words | undefined>

const readers: Readonly<Record<TicketLink['kind'], Read>> = {
  async instance(tx, userId, id) {
    const row = await tx
      .selectFrom('gpu_instances')
      .select(['name', 'gpu_count', 'gpu_type', 'region', 'status'])
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return (
      row && { title: row.name, detail: `${row.gpu_count} × ${row.gpu_type}, ${row.region}, ${row.status}` }
    )
  },
  async payment(tx, userId, id) {
    const row = await tx
      .selectFrom('chain_deposit')
      .select(['amount_micro', 'state', 'block_at'])
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return (
      row && {
        title: `Deposit of ${moneyText(row.amount_micro)}`,
        detail: `${row.state}, ${row.block_at.slice(0, 16).replace('T', ' ')} UTC`,
      }
    )
  },
  async invoice(tx, userId, id) {
    const { rows } = await sql<{ number: string; total: bigint; month: string; kind: string }>`
      select number, total_micro as total, to_char(month, 'YYYY-MM') as month, kind from invoice where id = ${id} and user_id = ${userId}`.execute(
      tx,
    )
    const row = rows[0]
    return (
      row && {
        title: `${row.kind === 'invoice' ? 'Invoice' : 'Credit note'} ${row.number}`,
        detail: `${row.month}, ${moneyText(row.total)}`,
      }
    )
  },
}
