/** Many movements in one statement: as if each had been made by itself, or none. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

const ask = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.pool.query(text, values)).rows as Row[]

async function user(micro: number): Promise<string> {
  const id = newId()
  await ask('insert into auth_user (id) values ($1)', id)
  await ask(`select credit_wallet($1, $2, 'gift', $3, now())`, id, micro, newId())
  return id
}
interface Debit {
  readonly userId: string
  readonly micro: number
  readonly key: string
}
const debit = (userId: string, micro: number, key = newId()): Debit => ({ userId, micro, key })
const post = async (debits: readonly Debit[]) =>
  (
    await ask<{ made: number }>(
      'select debit_wallets($1, $2, $3, $4, now()) as made',
      debits.map(each => each.userId),
      debits.map(each => each.micro),
      debits.map(() => 'one'),
      debits.map(each => each.key),
    )
  )[0]!.made
const balance = async (userId: string) =>
  Number(
    (
      await ask<{ micro: bigint }>(
        'select balance_micro as micro from ledger_account where owner = $1',
        userId,
      )
    )[0]!.micro,
  )

test('each leaves its own balance, in the order that they were given', async () => {
  const [a, b] = [await user(1_000), await user(1_000)]
  const debits = [debit(a, 1), debit(b, 10), debit(a, 2), debit(a, 4), debit(b, 20)]
  expect(await post(debits)).toBe(5)
  const rows = await ask<{ user_id: string; after: bigint }>(
    `select user_id, from_after_micro as after from ledger_transfer where code = 'debit' order by id`,
  )
  expect(rows).toEqual(
    [
      [a, 999n],
      [b, 990n],
      [a, 997n],
      [a, 993n],
      [b, 970n],
    ].map(([user_id, after]) => ({ user_id, after })),
  )
})

test('a key that was used before, or twice in one group, moves nothing again; for another movement it is refused', async () => {
  const userId = await user(100)
  const [first, second] = [debit(userId, 10), debit(userId, 20)]
  expect(await post([first, first])).toBe(1)
  expect(await post([first, second])).toBe(1)
  await expect(post([debit(userId, 1), { ...first, micro: 11 }])).rejects.toMatchObject({ code: 'IN409' })
  const third = debit(userId, 3)
  await expect(post([third, { ...third, micro: 4 }])).rejects.toMatchObject({ code: 'IN409' })
  expect(await balance(userId)).toBe(70)
})

test('one of nothing, or of somebody without a wallet, undoes all, and does not say that funds were too few', async () => {
  const userId = await user(100)
  for (const [wrong, code] of [
    [debit(userId, 0), '23514'],
    [debit(userId, -5), '23514'],
    [debit(newId(), 5), '23502'],
  ] as const)
    await expect(post([debit(userId, 10), wrong])).rejects.toMatchObject({ code })
  expect(await balance(userId)).toBe(100)
})

test('one that its wallet does not cover undoes all', async () => {
  const [poor, rich] = [await user(5), await user(100)]
  await expect(post([debit(rich, 10), debit(poor, 3), debit(poor, 3)])).rejects.toMatchObject({
    code: 'IN402',
  })
  expect([await balance(poor), await balance(rich)]).toEqual([5, 100])
})

test('groups over the same wallets in any order, at once with single movements, wait for each other and do not deadlock', async () => {
  const users = await Promise.all(Array.from({ length: 12 }, () => user(1_000_000)))
  const shuffled = (n: number) => users.map((_, at) => users[(at * 5 + n) % users.length]!)
  await Promise.all([
    ...Array.from({ length: 40 }, (_, n) =>
      post((n % 2 ? shuffled(n) : shuffled(n).toReversed()).map(id => debit(id, 1))),
    ),
    ...users.flatMap(id =>
      Array.from({ length: 5 }, () => ask(`select debit_wallet($1, 1, 'one', $2, now())`, id, newId())),
    ),
  ])
  expect(await Promise.all(users.map(balance))).toEqual(users.map(() => 1_000_000 - 45))
})
