/** What became of an instance's wishes for a place, and why, in words for its owner. */
import type { Placement } from '@ingot/contracts/instance/places'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { findInstance } from './queries.ts'

const words: Record<NonNullable<Placement['reason']>, string> = {
  away: 'The host did not answer.',
  not_offered: 'No host here has such a GPU.',
  taken: 'Every place was taken.',
  size: 'No host with enough free cards had enough free processors and memory.',
  disk: 'No host with enough free cards had room for the disk.',
  driver: 'The host could not start it.',
  stopped: 'It has stopped.',
  deleted: 'It was deleted.',
  term_ended: 'What was paid in advance has ended.',
  card_gone: 'A card of it is gone.',
  cordoned: 'The host takes nothing new: it is being maintained.',
}

export async function listPlacements(db: Db, userId: string, id: string): Promise<Placement[]> {
  await findInstance(db, userId, id)
  const { rows } = await sql<Omit<Placement, 'message'> & { readonly message: string | null }>`
    select at, outcome, reason, message, waited_ms, cards from (
      select placed_at as at, 'placed' as outcome, null as reason, null as message, waited_ms, cards, null as id
      from allocation where instance_id = ${id}
      union all
      select at, outcome, reason, message, waited_ms, cards, id from placement where instance_id = ${id}) each
    order by at desc, id desc nulls first limit 100`.execute(db)
  return rows.map(row => ({ ...row, message: row.message ?? messageOf(row) }))
}

/** What a decision about a place comes to, in words. */
export function messageOf({
  outcome,
  reason,
  cards,
}: Pick<Placement, 'outcome' | 'reason' | 'cards'>): string {
  if (outcome === 'placed')
    return cards.length ? `Got ${cards.length} of a host’s cards.` : 'Got a place on a host.'
  if (outcome === 'kept') return 'Kept the place that it is paid for.'
  const why = reason ? words[reason] : ''
  return outcome === 'released' ? `Gave its place back. ${why}` : why
}
