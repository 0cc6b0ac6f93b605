/** What is set aside for a place: nothing but the charge that it is for is paid with it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'
import { makeWaiting } from './testing/waiting.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterAll(() => database.close())
const ask = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.pool.query(text, values)).rows as Row[]

test('what ran dry while it was set aside stays ended where the rest of the money did', async () => {
  const [user, runs, waits] = [newId(), newId(), newId()]
  await ask('insert into auth_user (id) values ($1)', user)
  await ask(`insert into look_source (id, grace_ms) values ('patient', 2000000000)`)
  await ask(`select credit_wallet($1, 3000000, 'gift', $2, '2026-01-01')`, user, newId())
  await ask(`select deploy_charge($1, $2, 'box', 1000000, 1000000, null, 'box', '2026-01-01')`, user, runs)
  await ask(`select open_meter($1, '2026-01-01', 'patient')`, runs)
  await makeWaiting(database.kysely, waits, user)
  await ask(
    `select enter_queue($2, $2, $1, 1000000, 1500000, false, null, 1500000, 5, '2026-01-01')`,
    user,
    waits,
  )
  // An hour is prepaid, and half a dollar is left: nobody has settled since.
  const taken = await ask<{ held_micro: bigint }>(`select * from take_queued($1, '2026-01-01 03:00')`, waits)
  expect(taken).toMatchObject([{ held_micro: 1_500_000n }])
  expect(await ask(`select * from take_queued($1, '2026-01-01 03:00')`, waits)).toEqual([])
  expect(
    await ask(`select balance_micro from ledger_account where owner = $1 and kind = 'wallet'`, user),
  ).toEqual([{ balance_micro: 1_500_000n }])
  expect(await ask('select cause, at from meter_span where meter_id = $1 order by id', runs)).toMatchObject([
    { cause: 'opened' },
    { cause: 'balance_empty', at: '2026-01-01T01:30:00.003Z' },
  ])
  await assertLedgerSound(database.kysely)
})
