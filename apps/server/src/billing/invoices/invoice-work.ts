/**
 * Numbers the months that nobody asked for, some hours after they end: by then looks at machines and returns have told
 * what ran to the end. A wallet with nothing on an invoice is looked through once a month.
 */
import { sql } from 'kysely'
import type { Clock } from '../../db/clock.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import type { BatchWork } from '../../worker/batches.ts'
import { freezeCustomers } from './customer.ts'
import type { InvoiceNeeds } from './issue-invoices.ts'

interface InvoiceWorkNeeds extends InvoiceNeeds {
  readonly database: Database
  readonly clock: Clock
}

const afterEndMs = 3 * 3_600_000
/** So few that whoever wants a wallet, or a number, meanwhile waits for some hundredths of a second. */
const size = 10

/** The last month that ended long enough ago. */
export function lastMonthToClose(now: number): string {
  const at = new Date(now - afterEndMs)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1)).toISOString().slice(0, 10)
}

export function invoiceWork(needs: InvoiceWorkNeeds): BatchWork {
  const { database, clock, config, vault } = needs
  return {
    topic: 'invoicing',
    size,
    async pick(limit, except) {
      const { rows } = await database.pool.query<{ user_id: string }>({
        name: 'billing.months-to-close',
        text: 'select user_id from invoicing where month < $1 and user_id <> all($3::uuid[]) order by month limit $2',
        values: [lastMonthToClose(clock.now()), limit, except],
      })
      return rows.map(row => row.user_id)
    },
    // It is asked again every few seconds.
    msUntilDue: async () => null,
    async perform(users) {
      const at = clock.now()
      return inTransaction(database.kysely, async tx => {
        const customers = await freezeCustomers(tx, vault, users)
        const { rows } = await sql<{ users: string[] }>`
          select issue_due_invoices(${users}::uuid[], ${customers}::bytea[], ${lastMonthToClose(at)}::date, ${new Date(at).toISOString()},
            ${config.invoices.prefix}, ${JSON.stringify(config.invoices.seller)}::jsonb) as users`.execute(tx)
        return rows[0]!.users
      })
    },
  }
}
