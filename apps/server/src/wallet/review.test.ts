/** Transfers above the operator's limit: recorded, shown, and credited by a person alone, once. */
import { randomBytes } from 'node:crypto'
import type { Deposit } from '@ingot/contracts/wallet'
import { parseAddress } from '@ingot/tron/address'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ env: { INGOT_DEPOSIT_REVIEW_USDT: '100' } })
/** Final at once. */
async function pay(user: TestUser, usdt: string): Promise<string> {
  const txHash = await server.faucet(await addressOf(user), usdt)
  server.services.devnet!.mine(19)
  return txHash
}
const addressOf = async ({ client }: TestUser) => (await client.wallet.usdtConfig()).walletAddress
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const deposits = async ({ client }: TestUser) => (await client.wallet.deposits()).items
const verify = ({ client }: TestUser, txHash: string) =>
  client.wallet.verifyUsdtPayment({ txHash, chain: 'TRC20', amount: 25 })

async function decide(call: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`select ${call} as done`.execute(server.owner)
  return rows[0]!.done
}
const approve = (id: string) => decide(sql`approve_deposit(${id})`)
const reject = (id: string, reason = 'Not ours') => decide(sql`reject_deposit(${id}, ${reason})`)

/** A user with one deposit that waits for a decision. */
async function held(usdt = '101') {
  const user = await server.user()
  const txHash = await pay(user, usdt)
  const [deposit] = await until(
    () => deposits(user),
    items => items[0]?.status === 'held',
  )
  return { user, txHash, deposit: deposit! }
}

describe('a transfer above the limit', () => {
  test('is held, says so where deposits are shown, and does not count towards the minimum', async () => {
    const { user, txHash, deposit } = await held()
    expect(deposit).toMatchObject({ status: 'held', reason: 'review', amount_usdt: '101.000000' })
    expect((await user.client.billing.list()).items).toMatchObject([
      { status: 'pending', description: 'Deposit of 101.00 USDT, held for review' },
    ])
    expect(await verify(user, txHash)).toMatchObject({ success: true, status: 'held' })
    await pay(user, '4')
    await until(
      () => deposits(user),
      items => items[0]?.reason === 'below_minimum',
    )
    await pay(user, '100')
    await until(
      () => balance(user),
      usd => usd === '104.000000',
    )
    expect((await deposits(user)).map(each => each.reason)).toEqual([null, null, 'review'])
  })

  test('is credited when it is approved, and its look-up says confirmed', async () => {
    const { user, txHash, deposit } = await held('500')
    expect(await approve(deposit.id)).toBe(true)
    expect(await balance(user)).toBe('500.000000')
    expect(await deposits(user)).toMatchObject([{ status: 'confirmed', reason: null }])
    expect(await approve(deposit.id)).toBe(false)
    await expect(reject(deposit.id)).rejects.toMatchObject({ code: 'IN409' })
    expect(await balance(user)).toBe('500.000000')
    expect(await verify(user, txHash)).toMatchObject({ success: true, status: 'confirmed' })
  })

  test('is failed when it is rejected, for good, and its look-up answers that it was processed', async () => {
    const { user, txHash, deposit } = await held()
    expect(await reject(deposit.id)).toBe(true)
    expect(await reject(deposit.id)).toBe(false)
    await expect(approve(deposit.id)).rejects.toMatchObject({ code: 'IN409' })
    expect(await deposits(user)).toMatchObject([{ status: 'failed', reason: 'rejected' }])
    expect((await user.client.billing.list({ status: 'failed' })).items).toMatchObject([
      { status: 'failed', description: 'Deposit of 101.00 USDT, not accepted' },
    ])
    expect((await user.client.billing.list({ status: 'pending' })).items).toEqual([])
    expect(await verify(user, txHash)).toEqual({
      success: false,
      status: 'failed',
      actualAmount: 101,
      error: 'Transaction already processed',
    })
    // The scanner reads its block again with each pass.
    await pay(user, '20')
    await until(
      () => balance(user),
      usd => usd === '20.000000',
    )
    expect((await deposits(user)).map(each => each.status)).toEqual(['confirmed', 'failed'])
  })

  test('is no decision where it is not held for one', async () => {
    const user = await server.user()
    await pay(user, '4')
    const [small] = await until(
      () => deposits(user),
      items => items[0]?.status === 'held',
    )
    await expect(approve(small!.id)).rejects.toMatchObject({ code: 'IN409' })
    await expect(reject(small!.id)).rejects.toMatchObject({ code: 'IN409' })
    await expect(approve(newId())).rejects.toMatchObject({ code: 'IN404' })
    await expect(reject((await held()).deposit.id, '')).rejects.toMatchObject({ code: '23514' })
  })

  test('is decided by those two functions alone: the server writes none of it', async () => {
    const { deposit } = await held()
    const { kysely } = server.services.database
    for (const set of [
      "state = 'credited'",
      'reviewed_at = now()',
      "review_note = 'x'",
      'held_reason = null',
    ])
      await expect(
        sql`update chain_deposit set ${sql.raw(set)} where id = ${deposit.id}`.execute(kysely),
      ).rejects.toMatchObject({ code: '42501' })
  })
})

/** What the scanner does with a final transfer, without waiting for blocks. */
async function report(user: TestUser, micro: bigint, txid: Buffer = randomBytes(32)): Promise<Buffer> {
  const owner = Buffer.from(parseAddress(await addressOf(user)), 'hex')
  await sql`select credit_deposit(${newId()}, 'devnet', ${txid}, 0, ${user.id}, 1, now(), ${Buffer.alloc(20, 1)}, ${owner}, ${micro},
    10000000, 19, ${server.services.clock.iso()}, 100000000)`.execute(server.services.database.kysely)
  return txid
}

test('two who approve at once, beside a scanner that reports it again and brings more, credit it once', async () => {
  for (let round = 0; round < 20; round++) {
    const user = await server.user()
    const txid = await report(user, 1_000_000_000n)
    const [{ id }] = (await deposits(user)) as [Deposit]
    const answers = await Promise.all([
      approve(id),
      report(user, 1_000_000_000n, txid),
      approve(id),
      report(user, 15_000_000n),
      approve(id),
    ])
    expect([answers[0], answers[2], answers[4]].filter(Boolean)).toHaveLength(1)
    expect(await balance(user)).toBe('1015.000000')
  }
})

test('one who approves and one who rejects at once: one of the two holds', async () => {
  for (let round = 0; round < 20; round++) {
    const user = await server.user()
    await report(user, 200_000_000n)
    const [{ id }] = (await deposits(user)) as [Deposit]
    const results = await Promise.allSettled([approve(id), reject(id)])
    expect(results.filter(each => each.status === 'fulfilled')).toHaveLength(1)
    const isApproved = results[0]!.status === 'fulfilled'
    expect(await balance(user)).toBe(isApproved ? '200.000000' : '0.000000')
    expect(await deposits(user)).toMatchObject([{ status: isApproved ? 'confirmed' : 'failed' }])
  }
})
