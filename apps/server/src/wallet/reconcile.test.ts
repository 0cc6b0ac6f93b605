/** What the chain says that deposit addresses hold, beside what was recorded of them. */
import { parseUsd } from '@ingot/contracts/money'
import { type Address20, parseAddress } from '@ingot/tron/address'
import { developmentAccount, faucetAccount } from '@ingot/tron/devnet/accounts'
import { usdt20 } from '@ingot/tron/devnet/contracts'
import type { Endpoint } from '@ingot/tron/endpoints'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { auditLedger } from '../ledger/audit.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { lookAtToken, reconcile, reconcileWhenDue } from './reconcile.ts'
import { startTestChain } from './test-chain.ts'

const { devnet, env } = await startTestChain(1)
const logged: { msg: string; address?: string; holds?: string }[] = []
const log = pino({ level: 'warn' }, { write: line => void logged.push(JSON.parse(line)) })
const server = useTestServer({ env, log })
beforeAll(async () => {
  Object.assign(server.services.chain, { scanEveryMs: { watched: 50, idle: 50 } })
  const opened = () =>
    server.services.database.kysely.selectFrom('chain_cursor').select('chain').executeTakeFirst()
  await until(opened, row => row !== undefined)
})
beforeEach(() => void (logged.length = 0))
afterAll(() => devnet.close())

const db = () => server.services.database.kysely
const treasury = developmentAccount("m/44'/195'/2'/0/9").address20
const operator = faucetAccount()
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const stranger = parseAddress('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')
const rules = async () => (await auditLedger(db())).map(each => each.rule)
const wrong = 'a deposit address does not hold what arrived at it less what left it'

/** A user whose address received so much for good. */
async function paid(usdt: string) {
  const user = await server.user()
  const address = parseAddress((await user.client.wallet.usdtConfig()).walletAddress)
  devnet.faucet(address, parseUsd(usdt))
  devnet.mine(19)
  const recorded = () =>
    db().selectFrom('chain_deposit').select('state').where('user_id', '=', user.id).executeTakeFirst()
  await until(recorded, row => row !== undefined && row.state !== 'pending')
  return { user, address }
}

/** Signed with the keys that the server does not have. */
async function sweep(address: Address20, usdt: string, to = treasury): Promise<string> {
  const { rows } = await sql<{ idx: bigint }>`
    select idx from deposit_address where address20 = ${Buffer.from(address, 'hex')}`.execute(db())
  devnet.send(operator, 'TransferContract', { to_address: address, amount: 10n ** 9n })
  devnet.mine(1)
  const from = developmentAccount(`m/44'/195'/7'/0/${rows[0]!.idx}`)
  const txid = devnet.trigger(from, usdt20, 'transfer(address,uint256)', [to, parseUsd(usdt)])
  devnet.mine(19)
  const recorded = () =>
    db()
      .selectFrom('chain_sweep')
      .select('amount_micro')
      .where('txid', '=', Buffer.from(txid, 'hex'))
      .executeTakeFirst()
  await until(recorded, row => row?.amount_micro === parseUsd(usdt))
  return txid
}

test('what was credited, held and swept adds up to what the chain says, and moves no wallet', async () => {
  const [ada, bob, cleo] = [await paid('20'), await paid('4'), await paid('50')]
  await sweep(ada.address, '12')
  await sweep(cleo.address, '50')
  await reconcile(server.services, [ada.address, bob.address, cleo.address, stranger])
  const held = await db().selectFrom('chain_balance').select(['address20', 'held_micro']).execute()
  expect(new Map(held.map(row => [row.address20.toString('hex'), row.held_micro]))).toEqual(
    new Map([
      [ada.address, 8_000_000n],
      [bob.address, 4_000_000n],
      [cleo.address, 0n],
      [stranger, 0n],
    ]),
  )
  expect([await balance(ada.user), await balance(cleo.user)]).toEqual(['20.000000', '50.000000'])
  expect(logged).toEqual([])
})

test('transfers that become final while balances are read are no difference', async () => {
  const { address } = await paid('10')
  devnet.mine(60)
  const [{ reader }] = server.services.chain.endpoints.all as [Endpoint]
  const { call } = reader
  const arrive = () => {
    devnet.faucet(address, 1_000_000n)
    devnet.mine(19)
  }
  Object.assign(reader, {
    async call(...asked: Parameters<typeof call>) {
      arrive()
      const answer = await call(...asked)
      arrive()
      return answer
    },
  })
  try {
    await reconcile(server.services, [address])
  } finally {
    Object.assign(reader, { call })
  }
  expect(logged).toEqual([])
  expect(await rules()).toEqual([])
})

test('coins that are destroyed without a transfer are told with their address, and found by the audit until they are explained', async () => {
  const { address } = await paid('30')
  devnet.trigger(operator, usdt20, 'addBlackList(address)', [address])
  devnet.trigger(operator, usdt20, 'destroyBlackFunds(address)', [address])
  // Within the last 40 blocks it may be another node's answer.
  devnet.mine(60)
  await reconcile(server.services, [address])
  expect(logged).toMatchObject([{ msg: wrong, holds: '0.000000' }])
  expect(await rules()).toEqual([
    'an address holds what arrived at it less what left it, as the chain last said',
  ])
  await sql`delete from chain_balance where address20 = ${Buffer.from(address, 'hex')}`.execute(server.owner)
})

test('a deposit and a sweep that were not recorded are found', async () => {
  for (const table of ['chain_sweep', 'chain_deposit'] as const) {
    const { address } = await paid('7')
    await sweep(address, '2')
    const column = table === 'chain_sweep' ? 'from20' : 'to20'
    await server.owner.transaction().execute(async tx => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${Buffer.from(address, 'hex')}`.execute(
        tx,
      )
    })
    await reconcile(server.services, [address])
    expect(logged.splice(0)).toMatchObject([{ msg: wrong, holds: '5.000000' }])
    expect(await rules()).toContain(
      'an address holds what arrived at it less what left it, as the chain last said',
    )
    if (table === 'chain_deposit')
      expect(await rules()).toContain('no deposit address sent more than arrived at it')
    await server.owner.transaction().execute(async tx => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`delete from chain_balance where address20 = ${Buffer.from(address, 'hex')}`.execute(tx)
      await sql`delete from chain_sweep where from20 = ${Buffer.from(address, 'hex')}`.execute(tx)
    })
  }
})

test('what the issuer switches is told once, and once when it is switched back; nothing else is done', async () => {
  const told = async () => {
    await lookAtToken(server.services)
    await lookAtToken(server.services)
    return logged.splice(0).map(each => each.msg)
  }
  const issue = (signature: string, args: readonly (Address20 | bigint)[]) => {
    devnet.trigger(operator, usdt20, signature, args)
    devnet.mine(19)
  }
  issue('pause()', [])
  expect(await told()).toEqual(['the token’s issuer has changed something: transfers are paused'])
  issue('setParams(uint256,uint256)', [10n, 5n])
  expect(await told()).toEqual([
    'the token’s issuer has changed something: transfers are paused; it keeps 10 of 10,000 of each transfer',
  ])
  issue('unpause()', [])
  issue('setParams(uint256,uint256)', [0n, 0n])
  expect(await told()).toEqual(['the token’s issuer has changed it back'])
})

test('addresses are due daily once something arrived, weekly before, and one server at a time sees to it', async () => {
  await sql`delete from chain_balance`.execute(server.owner)
  const used = await paid('25')
  const unused = await server.user()
  await unused.client.wallet.usdtConfig()
  const age = async (days: number) => {
    await sql`update deposit_address set created_at = now() - ${days} * interval '1 day'
      where user_id in (${used.user.id}, ${unused.id})`.execute(server.owner)
    await sql`update chain_cursor set balances_due_at = now()`.execute(server.owner)
    const both = await Promise.all([reconcileWhenDue(server.services), reconcileWhenDue(server.services)])
    return both.toSorted()
  }
  await sql`update deposit_address set created_at = now() + interval '1 day'`.execute(server.owner)
  expect(await age(0.5)).toEqual([0, null])
  expect(await age(2)).toEqual([1, null])
  expect(await age(8)).toEqual([1, null])
  expect(await age(9)).toEqual([0, null])
  expect(await reconcileWhenDue(server.services)).toBe(null)
})
