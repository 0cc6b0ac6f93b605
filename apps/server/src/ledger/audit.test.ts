import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { auditLedger } from './audit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await populate()
})
afterAll(() => database.close())

/**
 * One user with a deposit, a hold, a used hourly instance and a running one; two that left, with a refund and without,
 * to whom a deposit came later.
 */
async function populate(): Promise<void> {
  const [userId, used, running] = [newId(), newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
  await deposit(userId, 7)
  for (const id of [used, running]) {
    await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 1000000, null, 'box: initial setup', '2026-01-01')`.execute(
      database.kysely,
    )
    await sql`select open_meter(${id}, '2026-01-01', 'host')`.execute(database.kysely)
  }
  await sql`select settle_wallets(array[${userId}]::uuid[], '2026-01-01 01:30:00.7')`.execute(database.kysely)
  await sql`select close_meter(${used}, '2026-01-01 02:00:00.001', 'stop')`.execute(database.kysely)
  await sql`select hold_funds(${userId}, 'hold', 500000, 'Dispute', ${newId()}, '2026-01-01 01:30:00.7')`.execute(
    database.kysely,
  )
  await usedBeyondItsEnd(userId)
  await sql`select roll_up_spending()`.execute(database.kysely)
  await leave('refund')
  await leave('forfeit')
}

/** Charged for 100 s, and found to have ended after 30.5 of them. */
async function usedBeyondItsEnd(userId: string): Promise<void> {
  const [id, at] = [newId(), (seconds: number) => `2026-01-01 02:00:${seconds.toFixed(3)}`]
  await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 1000000, null, 'box: initial setup', ${at(0)})`.execute(
    database.kysely,
  )
  await sql`select open_meter(${id}, ${at(0)}, 'host')`.execute(database.kysely)
  await sql`select close_meter(${id}, '2026-01-01 02:01:40', 'stop')`.execute(database.kysely)
  await sql`select count(*) from end_meter(${id}, ${at(30.5)}, '2026-01-01 02:02:00')`.execute(
    database.kysely,
  )
}

async function leave(code: 'refund' | 'forfeit'): Promise<void> {
  const [userId, request] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
  await sql`select credit_wallet(${userId}, 7000000, 'Gift', ${newId()}, '2026-01-01')`.execute(
    database.kysely,
  )
  await sql`select close_wallet(${userId}, ${code}, ${request}, '2026-01-02')`.execute(database.kysely)
  if (code === 'refund')
    await sql`insert into refund_request (id, user_id, amount_micro, requested_at)
      values (${request}, ${userId}, 7000000, '2026-01-02')`.execute(database.kysely)
  await sql`select erase_user(${userId})`.execute(database.kysely)
  await deposit(userId, code === 'refund' ? 8 : 9)
}

const deposit = (userId: string, txid: number) =>
  sql`select credit_deposit(${newId()}, 'devnet', ${Buffer.alloc(32, txid)}, 0, ${userId}, 5, now(), ${Buffer.alloc(20, 1)}, ${Buffer.alloc(20, 2)}, 25000000, 10000000, 19, now())`.execute(
    database.kysely,
  )

test('a sound ledger has no findings', async () => {
  expect(await auditLedger(database.kysely)).toEqual([])
})

/** Every column that money depends on, and a change to one row of it that must be found. */
const tampering: readonly [table: string, column: string, value: string, where?: string][] = [
  ['ledger_account', 'balance_micro', 'balance_micro + 1', "kind = 'wallet'"],
  ['ledger_account', 'balance_micro', 'balance_micro + 1', "kind = 'prepaid'"],
  ['ledger_account', 'owner', 'gen_random_uuid()', "kind = 'wallet'"],
  ['ledger_account', 'owner', 'gen_random_uuid()', "kind = 'prepaid'"],
  ['ledger_transfer', 'amount_micro', 'amount_micro + 1'],
  ['ledger_transfer', 'amount_micro', 'amount_micro + 1', "code = 'deposit'"],
  ['ledger_transfer', 'amount_micro', 'amount_micro + 1', "code = 'usage'"],
  ['ledger_transfer', 'from_account', '3', "code = 'deposit'"],
  ['ledger_transfer', 'from_account', '99', "code = 'deposit'"],
  ['ledger_transfer', 'to_account', '1', "code = 'usage'"],
  ['ledger_transfer', 'to_account', '3', "code = 'usage'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'deposit'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'usage'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'deploy'"],
  ['ledger_transfer', 'code', "'debit'", "code = 'usage'"],
  ['ledger_transfer', 'code', "'credit'", "code = 'deposit'"],
  ['ledger_transfer', 'user_id', 'gen_random_uuid()', "code = 'deploy'"],
  ['ledger_transfer', 'ref', 'gen_random_uuid()', "code = 'deploy'"],
  ['ledger_transfer', 'ref', 'gen_random_uuid()', "code = 'usage'"],
  ['ledger_transfer', 'ref', 'gen_random_uuid()', "code = 'deposit'"],
  ['ledger_transfer', 'effective_at', "effective_at + interval '1 ms'", "code = 'usage'"],
  ['ledger_transfer', 'from_after_micro', 'from_after_micro + 1', "code = 'deploy'"],
  ['ledger_transfer', 'to_after_micro', 'to_after_micro + 1', "code = 'deploy'"],
  ['ledger_transfer', 'to_after_micro', '5', "code = 'usage'"],
  ['usage_line', 'from_at', "from_at - interval '1 ms'"],
  ['usage_line', 'to_at', "to_at + interval '1 ms'"],
  ['usage_line', 'price_micro', 'price_micro + 1'],
  ['usage_line', 'amount_micro', 'amount_micro + 1'],
  ['usage_line', 'prepaid_micro', 'prepaid_micro + 1', 'prepaid_micro > 0'],
  ['usage_line', 'wallet_micro', 'wallet_micro + 1'],
  ['usage_line', 'remainder_before', 'remainder_before + 1'],
  ['usage_line', 'remainder_after', 'remainder_after + 1'],
  ['usage_line', 'meter_id', '(select id from meter m where m.id <> meter_id limit 1)'],
  ['usage_line', 'user_id', 'gen_random_uuid()'],
  ['usage_return', 'from_at', "from_at - interval '1 ms'"],
  ['usage_return', 'to_at', "to_at + interval '1 ms'"],
  ['usage_return', 'price_micro', 'price_micro + 1'],
  ['usage_return', 'amount_micro', 'amount_micro + 1'],
  ['usage_return', 'remainder_before', 'remainder_before + 1'],
  ['usage_return', 'remainder_after', 'remainder_after + 1'],
  ['usage_return', 'meter_id', '(select id from meter m where m.id <> meter_id limit 1)'],
  ['usage_return', 'user_id', 'gen_random_uuid()'],
  ['ledger_transfer', 'amount_micro', 'amount_micro + 1', "code = 'usage_return'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'usage_return'"],
  ['ledger_transfer', 'code', "'usage_return'", "code = 'refund'"],
  ['ledger_transfer', 'from_account', '1', "code = 'usage_return'"],
  ['ledger_transfer', 'ref', 'gen_random_uuid()', "code = 'usage_return'"],
  ['ledger_transfer', 'user_id', 'gen_random_uuid()', "code = 'usage_return'"],
  ['meter', 'ended_at', 'metered_to', 'metered_to is not null'],
  ['meter', 'remainder', '(remainder + 1) % 3600000'],
  ['meter', 'metered_to', "metered_to - interval '1 ms'", 'metered_to is not null'],
  ['meter', 'user_id', 'gen_random_uuid()'],
  ['meter', 'prepaid_account', '(select max(prepaid_account) + 5 from meter)'],
  ['meter', 'paid_until', "'2026-02-01'"],
  ['ledger_account', 'balance_micro', 'balance_micro + 1', "kind = 'hold'"],
  ['ledger_account', 'owner', 'gen_random_uuid()', "kind = 'hold'"],
  ['ledger_transfer', 'to_account', '2', "code = 'refund'"],
  ['ledger_transfer', 'to_account', '4', "code = 'forfeit'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'refund'"],
  ['ledger_transfer', 'idem', 'gen_random_uuid()', "code = 'forfeit'"],
  ['ledger_transfer', 'ref', 'gen_random_uuid()', "code = 'refund'"],
  ['ledger_transfer', 'user_id', 'gen_random_uuid()', "code = 'refund'"],
  ['ledger_transfer', 'code', "'debit'", "code = 'forfeit'"],
  ['refund_request', 'amount_micro', 'amount_micro + 1', 'deposit_id is null'],
  ['refund_request', 'user_id', 'gen_random_uuid()', 'deposit_id is null'],
  ['refund_request', 'id', 'gen_random_uuid()', 'deposit_id is null'],
  ['refund_request', 'amount_micro', 'amount_micro + 1', 'deposit_id is not null'],
  ['refund_request', 'user_id', 'gen_random_uuid()', 'deposit_id is not null'],
  ['refund_request', 'deposit_id', 'gen_random_uuid()', 'deposit_id is not null'],
  ['refund_request', 'deposit_id', 'null', 'deposit_id is not null'],
  ['auth_user', 'deleted_at', 'null', 'deleted_at is not null'],
  ['auth_user', 'deleted_at', 'now()', 'deleted_at is null'],
  ['chain_deposit', 'held_reason', "'below_minimum'", "state = 'held'"],
  ['chain_deposit', 'amount_micro', 'amount_micro + 1', "state = 'held'"],
  ['chain_deposit', 'amount_micro', 'amount_micro + 1', "state = 'credited'"],
  ['chain_deposit', 'state', "'held'", "state = 'credited'"],
  ['chain_deposit', 'id', 'gen_random_uuid()'],
  ['chain_deposit', 'user_id', 'gen_random_uuid()'],
  ['spending_month', 'spent_micro', 'spent_micro + 1'],
  ['spending_month', 'used_ms', 'used_ms + 1'],
  ['spending_month', 'month', 'month + 31'],
  ['spending_month', 'user_id', 'gen_random_uuid()'],
  ['spending_counted', 'transfer_id', 'transfer_id - 1'],
  ['spending_counted', 'line_id', 'line_id - 1'],
  ['spending_counted', 'return_id', 'return_id - 1'],
  ['spending_counted', 'user_id', 'gen_random_uuid()'],
]

test.each(tampering)('tampering with %s.%s (%s) is found', async (table, column, value, where = 'true') => {
  await database.kysely
    .transaction()
    .execute(async tx => {
      // Neither triggers nor keys stand in the way of whoever owns the server; the audit must still find it.
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql.raw(`alter table ledger_account drop constraint ledger_account_check1`).execute(tx)
      await sql.raw(`alter table usage_line drop constraint usage_line_check1`).execute(tx)
      await sql.raw(`alter table usage_line drop constraint usage_line_meter_id_to_at_key`).execute(tx)
      await sql.raw(`alter table refund_request drop constraint refund_request_one`).execute(tx)
      const changed =
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(value)} where ctid = (select ctid from ${sql.table(table)} where ${sql.raw(where)} limit 1)`.execute(
          tx,
        )
      expect(changed.numAffectedRows).toBe(1n)
      const findings = await auditLedger(tx)
      expect(findings.length).toBeGreaterThan(0)
      throw new Error('undo')
    })
    .catch(error => {
      if ((error as Error).message !== 'undo') throw error
    })
})

test('a deleted row of each money table is found', async () => {
  for (const table of ['ledger_transfer', 'usage_line', 'usage_return', 'chain_deposit', 'refund_request']) {
    await database.kysely
      .transaction()
      .execute(async tx => {
        await sql`set local session_replication_role = replica`.execute(tx)
        await sql`delete from ${sql.table(table)} where ctid = (select min(ctid) from ${sql.table(table)})`.execute(
          tx,
        )
        expect((await auditLedger(tx)).length, table).toBeGreaterThan(0)
        throw new Error('undo')
      })
      .catch(error => {
        if ((error as Error).message !== 'undo') throw error
      })
  }
})

test('an account whose owner does not fit its kind is refused or found', async () => {
  const open = (kind: string, owner: string | null) =>
    sql`insert into ledger_account (kind, owner) values (${kind}, ${owner})`
  await expect(open('wallet', null).execute(database.kysely)).rejects.toMatchObject({ code: '23514' })
  await expect(open('piggy bank', newId()).execute(database.kysely)).rejects.toMatchObject({ code: '23514' })
  await database.kysely
    .transaction()
    .execute(async tx => {
      await open('custody', newId()).execute(tx)
      expect(await auditLedger(tx)).toEqual([
        {
          rule: 'an account of a kind that belongs to somebody has an owner, and no other has',
          detail: expect.stringMatching(/^account \d+ \(custody\)$/) as string,
        },
      ])
      throw new Error('undo')
    })
    .catch(error => {
      if ((error as Error).message !== 'undo') throw error
    })
})
