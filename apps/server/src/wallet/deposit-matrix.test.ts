/**
 * Every way in which a transfer is right or wrong, paid with an unmodified wallet library, through the product's scanner
 * and its look-up, on PostgreSQL, while nodes fail. What is credited is what the chain holds for good.
 */
import { alreadyProcessed } from '@ingot/contracts/wallet'
import { parseAddress, toBase58 } from '@ingot/tron/address'
import { developmentAccount, faucetAccount } from '@ingot/tron/devnet/accounts'
import { batchPayer20, fakeUsdt20, usdt20 } from '@ingot/tron/devnet/contracts'
import { testAsset } from '@ingot/tron/devnet/chain'
import { faultKinds, seededRandom } from '@ingot/tron/devnet/faults'
import { createTronWebPayer } from '@ingot/tron/tronweb-payer'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { startTestChain } from './test-chain.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
// The payer's node works; the server has two others, which do not.
const { devnet, others, env } = await startTestChain(3)
const [payerUrl, ...urls] = env['INGOT_TRON_ENDPOINT']!.split(',')
const server = useTestServer({
  env: { ...env, INGOT_TRON_ENDPOINT: urls.join(), INGOT_DEPOSIT_REVIEW_USDT: '5000' },
})
afterAll(() => devnet.close())

const issuer = createTronWebPayer(payerUrl!, faucetAccount())
const payer = createTronWebPayer(payerUrl!, developmentAccount("m/44'/195'/2'/0/0"))
const spender = createTronWebPayer(payerUrl!, developmentAccount("m/44'/195'/2'/0/1"))
const [usdt, fake, batch] = [usdt20, fakeUsdt20, batchPayer20].map(toBase58) as [string, string, string]
const stranger = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const address = (value: string) => ({ type: 'address', value })
const uint = (value: bigint) => ({ type: 'uint256', value })
const usd = (units: number) => BigInt(Math.round(units * 1e6))

beforeAll(async () => {
  Object.assign(server.services.chain, { scanEveryMs: { watched: 20, idle: 20 } })
  // The library can't build on a first block.
  devnet.mine(1)
  for (const { address: to } of [payer, spender]) {
    await issuer.sendTrx(to, 10 ** 12)
    await issuer.transfer(usdt, to, usd(10_000_000))
  }
  devnet.mine(1)
  await payer.call(usdt, 'approve(address,uint256)', [address(spender.address), uint(usd(1_000_000))])
  await payer.call(usdt, 'approve(address,uint256)', [address(batch), uint(usd(1_000_000))])
  await payer.call(fake, 'mint(address,uint256)', [address(payer.address), uint(usd(1_000))])
  devnet.mine(19)
})

const disperse = (to: readonly (readonly [string, bigint])[]) =>
  payer.call(batch, 'disperse(address,address[],uint256[])', [
    address(usdt),
    { type: 'address[]', value: to.map(each => each[0]) },
    { type: 'uint256[]', value: to.map(each => each[1]) },
  ])
const transferFrom = (to: string, amount: bigint) =>
  spender.call(usdt, 'transferFrom(address,address,uint256)', [
    address(payer.address),
    address(to),
    uint(amount),
  ])
/** The issuer switches something for the time of one transfer. */
async function while_(on: () => Promise<unknown>, off: () => Promise<unknown>, to: string, amount: bigint) {
  await on()
  devnet.mine(1)
  const txid = await payer.transfer(usdt, to, amount)
  devnet.mine(1)
  await off()
  devnet.mine(1)
  return txid
}

interface Case {
  /** Transfers to `to`; returns the hash to ask about. */
  readonly pay: (to: string) => Promise<string>
  /** What arrives, and what of it is credited at once. */
  readonly arrives: bigint
  readonly credited?: bigint
  /** What the look-up says when all is final. */
  readonly says: 'confirmed' | 'held' | RegExp
}

const failed = /failed on the network/
const cases: Readonly<Record<string, Case>> = {
  'a transfer': { pay: to => payer.transfer(usdt, to, usd(25.5)), arrives: usd(25.5), says: 'confirmed' },
  'one of more digits than dollars have': {
    pay: to => payer.transfer(usdt, to, 12_345_679n),
    arrives: 12_345_679n,
    says: 'confirmed',
  },
  'dust, below the minimum': {
    pay: to => payer.transfer(usdt, to, 1n),
    arrives: 1n,
    credited: 0n,
    says: 'held',
  },
  'more than the limit of review': {
    pay: to => payer.transfer(usdt, to, usd(5000) + 1n),
    arrives: usd(5000) + 1n,
    credited: 0n,
    says: 'held',
  },
  'transferFrom by somebody else': {
    pay: to => transferFrom(to, usd(30)),
    arrives: usd(30),
    says: 'confirmed',
  },
  'a batch that pays it twice and a stranger once': {
    pay: to =>
      disperse([
        [to, usd(11)],
        [stranger, usd(500)],
        [to, usd(11)],
      ]),
    arrives: usd(22),
    says: 'confirmed',
  },
  'a batch of which one payment fails': {
    pay: to =>
      disperse([
        [to, usd(11)],
        [stranger, usd(100_000_000)],
      ]),
    arrives: 0n,
    says: failed,
  },
  'a fee that the issuer keeps': {
    pay: to =>
      while_(
        () => issuer.call(usdt, 'setParams(uint256,uint256)', [uint(20n), uint(50n)]),
        () => issuer.call(usdt, 'setParams(uint256,uint256)', [uint(0n), uint(0n)]),
        to,
        usd(100),
      ),
    arrives: usd(100) - usd(0.2),
    says: 'confirmed',
  },
  'a token of the same name': {
    pay: to => payer.transfer(fake, to, usd(40)),
    arrives: 0n,
    says: /another token/,
  },
  'more than its sender has': {
    pay: to => payer.transfer(usdt, to, usd(999_000_000)),
    arrives: 0n,
    says: failed,
  },
  'too little energy': { pay: to => payer.transfer(usdt, to, usd(20), 1_000_000), arrives: 0n, says: failed },
  'a sender that is blocked': {
    pay: to =>
      while_(
        () => issuer.call(usdt, 'addBlackList(address)', [address(payer.address)]),
        () => issuer.call(usdt, 'removeBlackList(address)', [address(payer.address)]),
        to,
        usd(20),
      ),
    arrives: 0n,
    says: failed,
  },
  'a token that is paused': {
    pay: to =>
      while_(
        () => issuer.call(usdt, 'pause()', []),
        () => issuer.call(usdt, 'unpause()', []),
        to,
        usd(20),
      ),
    arrives: 0n,
    says: failed,
  },
  'another recipient': {
    pay: () => payer.transfer(usdt, stranger, usd(20)),
    arrives: 0n,
    says: /did not pay your/,
  },
  'an approval': {
    pay: to => payer.call(usdt, 'approve(address,uint256)', [address(to), uint(usd(20))]),
    arrives: 0n,
    says: /only approves/,
  },
  'nothing, from a stranger’s address': {
    pay: to =>
      spender.call(usdt, 'transferFrom(address,address,uint256)', [address(stranger), address(to), uint(0n)]),
    arrives: 0n,
    says: /did not pay your/,
  },
  TRX: { pay: to => payer.sendTrx(to, 5), arrives: 0n, says: /another coin/ },
  TRC10: {
    pay: to => issuer.sendTrc10(to, 5, Buffer.from(testAsset, 'hex').toString()),
    arrives: 0n,
    says: /another coin/,
  },
}

const balance = async ({ client }: TestUser) => usd(Number((await client.wallet.get()).balance_usd))

/** A busy or failing network is asked again; each user has a budget of look-ups of their own. */
async function verify({ client }: TestUser, txHash: string) {
  for (;;) {
    try {
      return await client.wallet.verifyUsdtPayment({ txHash, chain: 'TRC20', amount: 1 })
    } catch (error) {
      if ((error as { code?: string }).code !== 'unavailable') throw error
    }
  }
}

const caughtUp = () =>
  until(
    () => server.services.database.kysely.selectFrom('chain_cursor').select('height').executeTakeFirst(),
    row => row !== undefined && Number(row.height) === devnet.head('solid').height,
    60_000,
  )

/** Each case by a user of its own, some blocks apart; `between` goes on meanwhile. */
async function payAll(between: () => void = () => {}) {
  await until(
    () => server.services.database.kysely.selectFrom('chain_cursor').select('chain').executeTakeFirst(),
    row => row !== undefined,
  )
  const paid = await Promise.all(
    Object.keys(cases).map(async name => {
      const user = await server.user()
      const { walletAddress: to } = await user.client.wallet.usdtConfig()
      return { name, user, to, txid: '' }
    }),
  )
  for (const each of paid) {
    between()
    each.txid = await cases[each.name]!.pay(each.to)
    devnet.mine(1)
  }
  return paid
}

type Paid = Awaited<ReturnType<typeof payAll>>

/** What was credited is what the chain holds for good at each address, and nothing else. */
async function expectCredited(paid: Paid): Promise<void> {
  for (const { name, user, to } of paid) {
    const { arrives, credited = arrives } = cases[name]!
    expect(await balance(user), name).toBe(credited)
    expect(devnet.balance(to, 'solid'), name).toBe(arrives)
    const { rows } = await sql<{ held: bigint }>`
      select recorded_balance('tron', ${Buffer.from(parseAddress(to), 'hex')}, 9223372036854775807) as held`.execute(
      server.services.database.kysely,
    )
    expect(rows[0]!.held, name).toBe(arrives)
  }
}

async function expectVerdicts(paid: Paid): Promise<void> {
  for (const { name, user, txid } of paid) {
    const { says, arrives } = cases[name]!
    const verdict = await verify(user, ` 0x${txid.toUpperCase()}`)
    if (says instanceof RegExp)
      expect(verdict, name).toMatchObject({ success: false, error: expect.stringMatching(says) })
    else {
      expect(verdict, name).toMatchObject({
        success: true,
        status: says,
        actualAmount: Number(arrives) / 1e6,
      })
      if (says === 'confirmed') expect((await verify(user, txid)).error, name).toBe(alreadyProcessed)
    }
  }
}

test('nothing is credited before it is final, then each case is, and its look-up says what became of it', async () => {
  await caughtUp()
  devnet.freezeSolid(true)
  const paid = await payAll()
  for (const { name, user, txid } of paid) {
    const isGood = cases[name]!.arrives > 0n
    expect(await balance(user), name).toBe(0n)
    expect((await verify(user, txid)).status, name).toBe(isGood ? 'pending' : null)
  }
  devnet.freezeSolid(false)
  devnet.mine(19)
  await caughtUp()
  await expectCredited(paid)
  await expectVerdicts(paid)
}, 60_000)

const kinds = faultKinds.filter(kind => kind !== 'slow' && kind !== 'no_index')

describe.each(['logs', 'blocks'] as const)('by %s', method => {
  beforeAll(async () => {
    if (method === 'logs') return
    // With more addresses than are listed blocks are read whole.
    await sql`with owner as (insert into auth_user (id) values (gen_random_uuid()) returning id)
      insert into deposit_address (chain, account_key, user_id, idx, address20, base58)
      select 'tron', 'xpub ' || n, owner.id, n, decode(md5(n::text) || '00000000', 'hex'), 'T' || n
      from owner, generate_series(1, 5001) n`.execute(server.services.database.kysely)
  })

  test.each(isLong ? [1, 2, 3, 4, 5, 6] : [1])(
    'while nodes fail in every way each is credited once (seed %i)',
    async seed => {
      const random = seededRandom(seed)
      const below = (bound: number) => Math.floor(random() * bound)
      const trouble = () => {
        const { faults } = others[below(others.length)]!
        faults.add({ kind: kinds[below(kinds.length)]!, chance: 0.4, blocks: 1 + below(30), times: 3 })
        if (random() < 0.3) devnet.freezeSolid(random() < 0.5)
      }
      const paid = await payAll(trouble)
      for (let block = 0; block < 6; block++) {
        trouble()
        devnet.mine(3)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      devnet.freezeSolid(false)
      devnet.mine(19)
      await caughtUp()
      await expectCredited(paid)
      await expectVerdicts(paid)
      for (const { faults } of others) faults.clear()
      expect(others.map(({ faults }) => faults.struck.size).every(struck => struck > 0)).toBe(true)
    },
    180_000,
  )

  test('a payment whose block is replaced is credited once where it comes again, and not at all where it is lost', async () => {
    const user = await server.user()
    const { walletAddress: to } = await user.client.wallet.usdtConfig()
    let expected = 0n
    for (const depth of isLong ? Array.from({ length: 17 }, (_, n) => n + 1) : [1, 9, 17])
      for (const keepTransactions of [true, false]) {
        const amount = usd(20 + depth)
        await payer.transfer(usdt, to, amount)
        devnet.mine(depth)
        await caughtUp()
        devnet.reorg(depth, { keepTransactions })
        if (keepTransactions) expected += amount
        devnet.mine(19)
        await caughtUp()
      }
    expect(await balance(user)).toBe(expected)
    expect(devnet.balance(to, 'solid')).toBe(expected)
  }, 60_000)

  test.skipIf(!isLong)(
    'a day without a node is caught up: 28,800 blocks, and every payment of it',
    async () => {
      const users = await Promise.all([1, 2, 3, 4].map(() => server.user()))
      const addresses = await Promise.all(
        users.map(async each => (await each.client.wallet.usdtConfig()).walletAddress),
      )
      for (const { faults } of others) faults.add({ kind: 'unavailable' })
      const due = users.map(() => 0n)
      for (let block = 0; block < 28_800; block += 240) {
        const n = (block / 240) % users.length
        await payer.transfer(usdt, addresses[n]!, usd(10 + n))
        due[n]! += usd(10 + n)
        devnet.mine(240)
      }
      devnet.mine(19)
      const from = performance.now()
      for (const { faults } of others) faults.clear()
      await caughtUp()
      console.info(
        `28,800 blocks with 120 payments were caught up by ${method} in ${Math.round(performance.now() - from)} ms`,
      )
      expect(await Promise.all(users.map(balance))).toEqual(due)
    },
    600_000,
  )
})
