import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { auditLedger } from './audit.ts'
import { populate } from './testing/populate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await populate(database.kysely)
})
afterAll(() => database.close())

test('a sound ledger has no findings', async () => {
  expect(await auditLedger(database.kysely)).toEqual([])
})

test('a deleted row of each money table is found', async () => {
  for (const table of [
    'ledger_account',
    'ledger_transfer',
    'wallets',
    'meter',
    'meter_kind',
    'meter_span',
    'usage_line',
    'usage_return',
    'chain_deposit',
    'chain_sweep',
    'refund_request',
  ]) {
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
