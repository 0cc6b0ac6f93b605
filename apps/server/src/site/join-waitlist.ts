import type { site } from '@ingot/contracts/site'
import type { Parsed } from '@ingot/contracts/operation'
import type { Tx } from '../db/database.ts'

/** An address stands once on the waiting list of a product. */
export async function joinWaitlist(
  tx: Tx,
  { product, email }: Pick<Parsed<typeof site.joinWaitlist>, 'product' | 'email'>,
): Promise<void> {
  await tx
    .insertInto('site_waitlist')
    .values({ product, email: email.toLowerCase() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
