/** A ledger with something of everything that the audit looks at. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { countMoney } from './count-money.ts'
import { makeWaiting } from './waiting.ts'

/**
 * One user with a deposit, a hold, a used hourly instance and a running one; two that left, with a refund and without,
 * to whom a deposit came later; one who pays for two things by the month, of which one lapsed; one who took money out,
 * took a request back, and has one under way; one with two invoices, a credit note, and something that is on none yet.
 * The first has budgets: of the account, and of the running instance, used up. The last was given credit: it paid for an
 * hour in advance, for usage, of which some came back, for something that is kept, and the rest lapsed. Somebody waits for
 * two places.
 */
export async function populate(db: Db): Promise<void> {
  const [userId, used, running] = [newId(), newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await deposit(db, userId, 7)
  await sql`select set_budget(${userId}, null, 4000000, 'stop', '2026-01-01')`.execute(db)
  for (const id of [used, running]) {
    await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 1000000, null, 'box: initial setup', '2026-01-01')`.execute(
      db,
    )
    await sql`select open_meter(${id}, '2026-01-01', 'host')`.execute(db)
  }
  await sql`select set_budget(${userId}, ${running}, 1000000, 'warn', '2026-01-01')`.execute(db)
  await sql`select settle_wallets(array[${userId}]::uuid[], '2026-01-01 01:30:00.7')`.execute(db)
  await sql`select close_meter(${used}, '2026-01-01 02:00:00.001', 'stop')`.execute(db)
  await sql`select hold_funds(${userId}, 'hold', 500000, 'Dispute', ${newId()}, '2026-01-01 01:30:00.7')`.execute(
    db,
  )
  await usedBeyondItsEnd(db, userId)
  await paidUpfront(db)
  await sql`select roll_up_spending()`.execute(db)
  await countMoney(db)
  await leave(db, 'refund')
  await leave(db, 'forfeit')
  await payByTheMonth(db)
  await sweep(db)
  await takeOut(db)
  await invoiced(db)
  await credited(db)
  await waiting(db)
}

/** Charged for 100 s, and found to have ended after 30.5 of them. */
async function usedBeyondItsEnd(db: Db, userId: string): Promise<void> {
  const [id, at] = [newId(), (seconds: number) => `2026-01-01 02:00:${seconds.toFixed(3)}`]
  await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 1000000, null, 'box: initial setup', ${at(0)})`.execute(
    db,
  )
  await sql`select open_meter(${id}, ${at(0)}, 'host')`.execute(db)
  await sql`select close_meter(${id}, '2026-01-01 02:01:40', 'stop')`.execute(db)
  await sql`select count(*) from end_meter(${id}, ${at(30.5)}, '2026-01-01 02:02:00')`.execute(db)
}

/** A term that something runs and ends with, and that an outage has extended. */
async function paidUpfront(db: Db): Promise<void> {
  const [userId, id] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_wallet(${userId}, 90000000, 'Gift', ${newId()}, '2026-01-01')`.execute(db)
  await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 80000000, '2026-01-11', 'box: upfront', '2026-01-01')`.execute(
    db,
  )
  await sql`select open_meter(${id}, '2026-01-01', 'host'), set_term_end(${id}, true, '2026-01-01')`.execute(
    db,
  )
  await sql`select extend_terms(array[${id}::uuid], '2026-01-02', '2026-01-03', 'host_gone', '2026-01-03')`.execute(
    db,
  )
}

async function leave(db: Db, code: 'refund' | 'forfeit'): Promise<void> {
  const [userId, request] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_wallet(${userId}, 7000000, 'Gift', ${newId()}, '2026-01-01')`.execute(db)
  await sql`select close_wallet(${userId}, ${code}, ${request}, '2026-01-02')`.execute(db)
  if (code === 'refund')
    await sql`insert into refund_request (id, user_id, amount_micro, requested_at)
      values (${request}, ${userId}, 7000000, '2026-01-02')`.execute(db)
  await sql`select erase_user(${userId})`.execute(db)
  await deposit(db, userId, code === 'refund' ? 8 : 9)
}

const deposit = (db: Db, userId: string, txid: number) =>
  sql`select credit_deposit(${newId()}, 'devnet', ${Buffer.alloc(32, txid)}, 0, ${userId}, 5, now(), ${Buffer.alloc(20, 1)}, ${Buffer.alloc(20, 2)}, 25000000, 10000000, 19, now())`.execute(
    db,
  )

/** $30 of the four deposits left, and the chain says so. */
async function sweep(db: Db): Promise<void> {
  const [from, to] = [Buffer.alloc(20, 2), Buffer.alloc(20, 3)]
  await sql`select record_sweep('devnet', ${Buffer.alloc(32, 10)}, 0, 6, now(), ${from}, ${to}, 30000000),
    note_chain_balance('devnet', ${from}, 6, 70000000)`.execute(db)
}

/** $7.20 and $72 a month: the wallet covers the second month of the first alone. */
async function payByTheMonth(db: Db): Promise<void> {
  const userId = newId()
  await sql`insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words, ended_by)
    values ('shelf', 'Shelf', false, 2592000000, 'lapse', 7, 'rest', 'space', 'month in advance', 'rest', 'end_shelves')`.execute(
    db,
  )
  await sql`create function end_shelves(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz)
    returns void language sql as ''`.execute(db)
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_wallet(${userId}, 100000000, 'Gift', ${newId()}, '2026-01-01')`.execute(db)
  for (const price of [10_000n, 100_000n]) {
    const id = newId()
    await sql`select deploy_charge(${userId}, ${id}, 'shelf', ${price}, ${price * 720n}, null, 'shelf: first month', '2026-01-01', false, 'shelf'),
      open_meter(${id}, '2026-01-01')`.execute(db)
  }
  await sql`select settle_wallets(array[${userId}]::uuid[], '2026-02-01')`.execute(db)
}

async function takeOut(db: Db): Promise<void> {
  const userId = newId()
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await deposit(db, userId, 10)
  const request = async (usd: number) => {
    const [id, hash] = [newId(), Buffer.alloc(32, usd)]
    await sql`select request_withdrawal(${id}, ${userId}, ${usd * 1_000_000}, ${Buffer.alloc(20, usd)}, ${hash}, 'Withdrawal', 5, '2026-01-01')`.execute(
      db,
    )
    return id
  }
  await request(3)
  const txid = Buffer.alloc(32, 11)
  await sql`select record_sweep('devnet', ${txid}, 0, 7, now(), ${Buffer.alloc(20, 4)}, ${Buffer.alloc(20, 3)}, 3000000)`.execute(
    db,
  )
  await sql`select settle_payout('devnet', ${txid}, 0, '2026-01-02')`.execute(db)
  await sql`select cancel_withdrawal(${await request(4)}, ${userId}, null, '2026-01-02')`.execute(db)
  await request(5)
}

async function invoiced(db: Db): Promise<void> {
  const [userId, used, kept] = [newId(), newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_wallet(${userId}, 25000000, 'Gift', ${newId()}, '2026-01-01')`.execute(db)
  for (const id of [used, kept])
    await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 5000000, null, 'box: initial setup', '2026-01-31')`.execute(
      db,
    )
  await sql`insert into look_source (id, grace_ms) values ('patient', 2000000000)`.execute(db)
  await sql`select open_meter(${used}, '2026-01-31 16:00', 'patient')`.execute(db)
  await sql`select close_meter(${used}, '2026-02-01 04:00', 'stop')`.execute(db)
  await debit(db, userId, 123_456, '2026-01-31')
  await issue(db, userId, '2026-01-01', '2026-02-01 05:00')
  await sql`select return_prepaid(${kept}, '2026-02-02')`.execute(db)
  await debit(db, userId, 1_000_000, '2026-03-01')
  await issue(db, userId, '2026-02-01', '2026-03-02')
}

const debit = (db: Db, userId: string, micro: number, at: string) =>
  sql`select debit_wallet(${userId}, ${micro}, 'A correction', ${newId()}, ${at})`.execute(db)

const issue = (db: Db, userId: string, month: string, at: string) =>
  sql`select count(*) from issue_invoices(${userId}, ${month}, ${at}, 'ING', '{"tax_rate": 1900}', '\\x00')`.execute(
    db,
  )

async function credited(db: Db): Promise<void> {
  const [userId, used, deleted, kept] = [newId(), newId(), newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_deposit(${newId()}, 'devnet', ${Buffer.alloc(32, 12)}, 0, ${userId}, 5, now(), ${Buffer.alloc(20, 1)},
    ${Buffer.alloc(20, 5)}, 25000000, 10000000, 19, '2026-01-01', null, '2026-01-20')`.execute(db)
  for (const [id, total] of [
    [used, 1_000_000],
    [deleted, 3_000_000],
    [kept, 2_000_000],
  ])
    await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, ${total}, null, 'box: initial setup', '2026-01-01')`.execute(
      db,
    )
  await sql`select open_meter(${used}, '2026-01-01', 'patient')`.execute(db)
  await sql`select close_meter(${used}, '2026-01-01 03:00', 'stop')`.execute(db)
  await sql`select count(*) from end_meter(${used}, '2026-01-01 02:30', '2026-01-01 03:01')`.execute(db)
  await sql`select return_prepaid(${deleted}, '2026-01-02')`.execute(db)
  await sql`select settle_wallets(array[${userId}]::uuid[], '2026-02-01')`.execute(db)
}

/** One deploy and one start wait, each with its money set aside, and one has left. */
async function waiting(db: Db): Promise<void> {
  const [userId, deploy, start, left] = [newId(), newId(), newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(db)
  await sql`select credit_wallet(${userId}, 25000000, 'Gift', ${newId()}, '2026-01-01')`.execute(db)
  for (const id of [deploy, start, left]) await makeWaiting(db, id, userId)
  await sql`select deploy_charge(${userId}, ${start}, 'box', 1000000, 1000000, null, 'box: initial setup', '2026-01-01')`.execute(
    db,
  )
  const enter = (id: string, total: number | null, micro: number) =>
    sql`select enter_queue(${newId()}, ${id}, ${userId}, 1000000, ${total}, true, ${total && '{"limit": "5", "at_limit": "stop"}'}, ${micro}, 5, '2026-01-02')`.execute(
      db,
    )
  await enter(deploy, 1_000_000, 1_000_000)
  await enter(start, null, 166_667)
  await sql`update instance_queue set blocked = 'no funds' where instance_id = ${start}`.execute(db)
  await enter(left, 2_000_000, 2_000_000)
  await sql`select leave_queue(${left}, '2026-01-03')`.execute(db)
  await sql`update gpu_instances set status_reason = null where id = ${left}`.execute(db)
}
