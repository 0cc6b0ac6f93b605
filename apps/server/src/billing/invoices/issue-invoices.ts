/**
 * Closes the months of one wallet and numbers what they charged; the rules are in SQL (`issue_invoices`). A month that is
 * closed stays closed, so whoever asks twice, or two at once, gets the same number.
 */
import type { InvoiceHead } from '@ingot/contracts/invoices'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { freezeCustomers } from './customer.ts'
import { headsOf } from './queries.ts'

export interface InvoiceNeeds {
  readonly config: Pick<Config, 'invoices'>
  readonly vault: Vault
}

/** What the month has, whether it was written now or before. */
export async function issueInvoice(
  tx: Tx,
  needs: InvoiceNeeds,
  userId: string,
  month: string,
  at: string,
): Promise<InvoiceHead[]> {
  if (month >= at.slice(0, 7))
    throw new IngotError('invalid_state', {
      message: `${month} is not over. Its invoice is made after its last day (UTC).`,
    })
  await closeMonths(tx, needs, userId, month, at)
  return headsOf(tx, userId, sql`month = ${`${month}-01`}::date`)
}

/** With `isLast` up to now: the account ends, and nothing is charged to it any more. */
export async function closeMonths(
  tx: Db | Tx,
  { config, vault }: InvoiceNeeds,
  userId: string,
  month: string,
  at: string,
  isLast = false,
): Promise<void> {
  const [customer] = await freezeCustomers(tx, vault, [userId])
  await sql`select count(*) from issue_invoices(${userId}, ${`${month}-01`}::date, ${at}, ${config.invoices.prefix},
    ${JSON.stringify(config.invoices.seller)}::jsonb, ${customer}, ${isLast})`.execute(tx)
}
