/** Guesses at a factor's codes: beyond a few, each wrong one doubles the pause before the next is looked at. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError, type AuthErrorCode } from '../errors.ts'
import type { AuthSettings } from '../settings.ts'
import type { FactorRow } from './queries.ts'

export function refuseWhileLocked({ locked_seconds: seconds }: FactorRow, code: AuthErrorCode): void {
  if (seconds === 0) return
  throw new AuthError(429, code, `Too many wrong codes. Try again in ${seconds} seconds.`)
}

export async function countWrongFactorCode(
  tx: Tx,
  { settings }: { settings: AuthSettings },
  factor: FactorRow,
): Promise<void> {
  const { free, maxPauseSeconds } = settings.factors.wrongCodes
  const beyond = factor.failures + 1 - free
  const pause = beyond > 0 ? Math.min(maxPauseSeconds, 2 ** Math.min(beyond - 1, 20)) : 0
  await sql`
    update auth_factor set failures = failures + 1,
      locked_until = case when ${pause} > 0 then clock_timestamp() + ${pause} * interval '1 second' end
    where id = ${factor.id}`.execute(tx)
}
