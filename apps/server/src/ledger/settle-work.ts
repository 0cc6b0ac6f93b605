/**
 * The timer of metering: a wallet falls due when its money runs out, when something prepaid for one of its meters ends,
 * or an hour after it was last settled. Late is harmless: the ledger charges up to the moment that mattered, and decides
 * everything itself.
 */
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction } from '../db/database.ts'
import type { BatchWork } from '../worker/batches.ts'
import type { Signals } from '../worker/signals.ts'

interface SettleNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
}

/** So few that whoever wants one of the wallets meanwhile waits for some hundredths of a second. */
const size = 100

export function settleWork({ database, clock, signals }: SettleNeeds): BatchWork {
  return {
    topic: 'wallets',
    size,
    async pick(limit, except) {
      const { rows } = await database.pool.query<{ user_id: string }>({
        name: 'ledger.due-wallets',
        text: 'select user_id from wallets where due_at <= $1 and user_id <> all($3::uuid[]) order by due_at limit $2',
        values: [clock.iso(), limit, except],
      })
      return rows.map(row => row.user_id)
    },
    async msUntilDue() {
      const { rows } = await database.pool.query<{ due_at: string | null }>({
        name: 'ledger.next-due-wallet',
        text: 'select min(due_at) as due_at from wallets where due_at is not null',
      })
      const due = rows[0]!.due_at
      return due === null ? null : Date.parse(due) - clock.now()
    },
    async perform(users) {
      const settled = await inTransaction(database.kysely, async tx => {
        const { rows } = await sql<{ user_id: string }>`
          select unnest(settle_due(${users}::uuid[], ${clock.iso()})) as user_id`.execute(tx)
        return rows.map(row => row.user_id)
      })
      if (settled.length)
        for (const topic of ['gpu_instances', 'network_volumes', 'volume_snapshots'] as const)
          signals.send(topic)
      for (const userId of settled) signals.send(`user:${userId}`)
      return settled
    },
  }
}
