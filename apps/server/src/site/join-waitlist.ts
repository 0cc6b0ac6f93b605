import type { site } from '@ingot/contracts/site'
import type { Parsed } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/** An address stands once on the waiting list of a product. */
export async function joinWaitlist(
  tx: Tx,
  { product, email }: Pick<Parsed<typeof site.joinWaitlist>, 'product' | 'email'>,
): Promise<void> {
  await sql`
    insert into site_waitlist (product, email) values (${product}, ${email.toLowerCase()})
    on conflict do nothing`.execute(tx)
}
