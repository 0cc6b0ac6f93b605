/** What asking about a transaction tells others, and what it costs the operator. The scanner does not run here. */
import { randomBytes } from 'node:crypto'
import { parseAddress } from '@ingot/tron/address'
import type { Endpoint } from '@ingot/tron/endpoints'
import type { ChainReader } from '@ingot/tron/reader'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { type TestUser, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })
const addressOf = async ({ client }: TestUser) => (await client.wallet.usdtConfig()).walletAddress
const verify = ({ client }: TestUser, txHash: string) =>
  client.wallet.verifyUsdtPayment({ txHash, chain: 'TRC20', amount: 25 })
const stranger = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'

let asked: string[] = []
beforeAll(async () => {
  const { chain, database, devnet } = server.services
  const { height, blockId } = devnet!.head('solid')
  await database.kysely
    .insertInto('chain_cursor')
    .values({ chain: chain.name, height: BigInt(height), block_id: blockId })
    .execute()
  const [{ reader }] = chain.endpoints.all as [Endpoint]
  const { facts, head } = reader
  Object.assign(reader, {
    facts: (txid, view) => (asked.push(`facts ${view}`), facts(txid, view)),
    head: view => (asked.push(`head ${view}`), head(view)),
  } satisfies Partial<ChainReader>)
})
beforeEach(() => void (asked = []))

const hidden = {
  success: false,
  status: null,
  actualAmount: null,
  error: 'This transaction did not pay your deposit address.',
}

/** The verdict, and what was asked of the chain for it: that is where the time goes. */
async function look(user: TestUser, txHash: string) {
  asked = []
  return { verdict: await verify(user, txHash), asked: [...asked] }
}

/** Seconds until the next pass, after `ask` found it due in so many. */
async function dueAfter(seconds: number, ask: () => Promise<unknown>, stopped: string | null = null) {
  const { kysely } = server.services.database
  await sql`update chain_cursor set due_at = now() + ${seconds} * interval '1 s', stopped_reason = ${stopped}`.execute(
    kysely,
  )
  await ask()
  const { rows } = await sql<{
    due: number
  }>`select extract(epoch from due_at - now())::float8 as due from chain_cursor`.execute(kysely)
  return rows[0]!.due
}

describe('a transfer to another customer', () => {
  const record = (txHash: string, user: TestUser, to: string) =>
    sql`select credit_deposit(${newId()}, 'devnet', ${Buffer.from(txHash, 'hex')}, 0, ${user.id}, 1, now(), ${Buffer.alloc(20, 1)},
      ${Buffer.from(parseAddress(to), 'hex')}, 25000000, 10000000, 19, now())`.execute(
      server.services.database.kysely,
    )

  test('is answered like one to a stranger: same words, same status, same questions to the chain', async () => {
    const [ada, thief] = [await server.user(), await server.user()]
    const address = await addressOf(ada)
    const { devnet } = server.services
    devnet!.freezeSolid(true)
    const hashes = [await server.faucet(address, '25'), await server.faucet(stranger, '25')] as const
    const both = async () => {
      const looks = [await look(thief, hashes[0]), await look(thief, hashes[1])]
      expect(looks[0]).toEqual(looks[1])
      return looks[0]!
    }
    devnet!.mine(1)
    expect(await both()).toEqual({ verdict: hidden, asked: ['facts solid', 'facts latest', 'head latest'] })
    devnet!.freezeSolid(false)
    devnet!.mine(19)
    expect(await both()).toEqual({ verdict: hidden, asked: ['facts solid'] })
    await record(hashes[0], ada, address)
    expect(await both()).toEqual({ verdict: hidden, asked: ['facts solid'] })
    expect(await verify(ada, hashes[0])).toMatchObject({ success: true, status: 'confirmed' })
    expect(await both()).toEqual({ verdict: hidden, asked: ['facts solid'] })
  })
})

describe('asking brings the scan forward', () => {
  const asOnTron = { scanEveryMs: { watched: 4_000, idle: 30_000 } }

  test('for a transaction that is unknown or on its way to the caller, and for no other', async () => {
    Object.assign(server.services.chain, asOnTron)
    const [ada, bob] = [await server.user(), await server.user()]
    const mine = await server.faucet(await addressOf(ada), '25')
    const { devnet } = server.services
    devnet!.mine(1)
    expect(await dueAfter(25, () => verify(ada, randomBytes(32).toString('hex')))).toBeLessThan(0.1)
    expect(await dueAfter(25, () => verify(ada, mine))).toBeLessThan(0.1)
    expect(await dueAfter(25, () => verify(bob, mine))).toBeGreaterThan(20)
  })

  test('no more often than the scanner looks while somebody waits, and not when the provider asked for patience', async () => {
    Object.assign(server.services.chain, asOnTron)
    const user = await server.user()
    const ask = () => verify(user, randomBytes(32).toString('hex'))
    expect(await dueAfter(3.9, ask)).toBeGreaterThan(3)
    expect(await dueAfter(25, ask, 'limited: jsonrpc: status 429')).toBeGreaterThan(20)
  })

  test('thirty at once, and then one every two seconds; another customer is not held up', async () => {
    const [user, other] = [await server.user(), await server.user()]
    await addressOf(user)
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, () => verify(user, randomBytes(32).toString('hex'))),
    )
    const refused = answers.filter(each => each.status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(9)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(await verify(other, randomBytes(32).toString('hex'))).toMatchObject({ success: false })
    await sql`update auth_bucket set refilled_at = refilled_at - interval '2 seconds' where key = ${`look-up:${user.id}`}`.execute(
      server.services.database.kysely,
    )
    expect(await verify(user, randomBytes(32).toString('hex'))).toMatchObject({ success: false })
  })
})
