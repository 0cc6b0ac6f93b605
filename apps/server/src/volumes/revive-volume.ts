import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { lockWallet } from '../ledger/ledger.ts'
import { reviveMonth } from '../ledger/months.ts'
import { lockHolder, lockVolume } from './queries.ts'

/** Pays for the month of one that lapsed. The ledger tells the volume, and the loop makes it writable again. */
export async function reviveVolume(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  await lockHolder(tx, userId, id)
  const row = await lockVolume(tx, userId, id)
  if (row.status === 'deleting')
    throw new IngotError('invalid_state', { message: 'This volume is being deleted.' })
  if (row.lapsed_at === null)
    throw new IngotError('invalid_state', { message: 'The month of this volume is paid.' })
  await reviveMonth(tx, id, clock.iso())
}
