import type { dev } from '@ingot/contracts/dev'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import type { Vault } from '../vault.ts'
import { listMail } from '../worker/mail.ts'
import { payTestUsdt, type PayTestUsdtNeeds } from './pay-test-usdt.ts'

/** What the commands behind these routes need together. */
interface DevNeeds extends PayTestUsdtNeeds {
  readonly clock: Clock
  readonly vault: Vault
}

/** The tools of a test cloud. `product/app` binds them only where they may exist. */
export function devRoutes(needs: DevNeeds): Handlers<typeof dev> {
  const { database, clock, signals, vault } = needs
  return {
    mail: async (_, { db }) => ({ items: await listMail(db, vault), next_cursor: null }),
    faucet: input => payTestUsdt(needs, input),
    time: async () => ({ now: clock.iso(), offset_ms: clock.offsetMs() }),
    clock: async ({ advance_ms }, { afterCommit }) => {
      await clock.advance(database.kysely, advance_ms)
      afterCommit(() => signals.send('clock'))
      return { now: clock.iso(), offset_ms: clock.offsetMs() }
    },
  }
}
