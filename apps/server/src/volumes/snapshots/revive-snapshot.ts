import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { reviveMonth } from '../../ledger/months.ts'
import { lockSnapshot } from '../queries.ts'

/** Pays for the month of one that lapsed: it begins when the snapshot lapsed. */
export async function reviveSnapshot(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockSnapshot(tx, userId, id)
  if (row.status === 'deleting')
    throw new IngotError('invalid_state', { message: 'This snapshot is being deleted.' })
  if (row.lapsed_at === null)
    throw new IngotError('invalid_state', { message: 'The month of this snapshot is paid.' })
  await reviveMonth(tx, id, clock.iso())
}
