/** Tells the owner of an account what was done to it, in the transaction that does it. Who has no address is not told. */
import type { Db, Tx } from '../../db/database.ts'
import { type Letter, queueMail } from '../../worker/mail.ts'
import type { Notice } from './letters.ts'
import type { AuthServices } from '../services.ts'

export async function notify(
  tx: Tx | Db,
  { vault, siteUrl }: Pick<AuthServices, 'vault' | 'siteUrl'>,
  to: string | null,
  letter: (notice: Notice) => Letter,
): Promise<void> {
  if (to) await queueMail(tx, vault, letter({ to, siteUrl, at: new Date() }))
}
