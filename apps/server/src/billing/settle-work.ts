/**
 * The timer of metering: a wallet falls due when its money runs out, when a prepaid hour or term of one of its
 * instances ends, or an hour after it was last settled. Late is harmless: the ledger charges up to the moment that
 * mattered.
 */
import type { Clock } from '../db/clock.ts'
import { applySettlement } from '../instances/apply-settlement.ts'
import { lockWallet, settleWallet } from '../ledger/ledger.ts'
import { noteBalance } from '../wallet/note-balance.ts'
import type { Work } from '../worker/loop.ts'
import type { Signals } from '../worker/signals.ts'

interface SettleNeeds {
  readonly clock: Clock
  readonly signals: Signals
}

export function settleWork({ clock, signals }: SettleNeeds): Work<'wallets'> {
  return {
    table: 'wallets',
    key: 'user_id',
    clock: 'business',
    concurrency: 8,
    lockFirst: (tx, row) => lockWallet(tx, row.user_id),
    async perform(row, claim) {
      await claim.apply(async tx => {
        const at = clock.iso()
        const lines = await settleWallet(tx, row.user_id, at)
        const { exhausted } = await applySettlement(tx, row.user_id, lines, at)
        // An empty balance has no notice of its own: the stops that it causes have theirs.
        if (lines.length && !exhausted.size) await noteBalance(tx, row.user_id, at)
        // settle_wallet has set the next due time on this very row.
        return tx
          .selectFrom('wallets')
          .select('due_at')
          .where('user_id', '=', row.user_id)
          .executeTakeFirstOrThrow()
      })
      signals.send('gpu_instances')
      signals.send(`user:${row.user_id}`)
    },
  }
}
