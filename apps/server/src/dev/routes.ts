import type { dev } from '@ingot/contracts/dev'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import type { Vault } from '../vault.ts'
import { listMail } from '../worker/mail.ts'
import type { Signals } from '../worker/signals.ts'

export interface DevServices {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly vault: Vault
  /** Pays test USDT and returns the transaction's id. */
  readonly faucet: (address: string, amountMicro: bigint) => Promise<string>
}

/** The tools of a test cloud. `http/app` binds them only where they may exist. */
export function devRoutes({ database, clock, signals, vault, faucet }: DevServices): Handlers<typeof dev> {
  return {
    mail: async (_, { db }) => ({ items: await listMail(db, vault), next_cursor: null }),
    faucet: async ({ address, amount_usdt }) => {
      const amount = parseUsd(typeof amount_usdt === 'number' ? amount_usdt.toFixed(6) : amount_usdt)
      if (amount <= 0n)
        throw new IngotError('validation_failed', { fields: { amount_usdt: 'must be more than 0' } })
      return { tx_hash: await faucet(address, amount), amount_usdt: formatUsd(amount) }
    },
    time: async () => ({ now: clock.iso(), offset_ms: clock.offsetMs() }),
    clock: async ({ advance_ms }, { afterCommit }) => {
      await clock.advance(database.kysely, advance_ms)
      afterCommit(() => signals.send('clock'))
      return { now: clock.iso(), offset_ms: clock.offsetMs() }
    },
  }
}
