/** A server whose chain has two endpoints. */
import { parseUsd } from '@ingot/contracts/money'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { startTestChain } from './test-chain.ts'

const { devnet, others, env } = await startTestChain(2)
const logged: { level: number; why?: string; endpoint?: string }[] = []
const log = pino({ level: 'warn' }, { write: line => void logged.push(JSON.parse(line)) })
const server = useTestServer({ env, log })
beforeAll(() => Object.assign(server.services.chain, { scanEveryMs: { watched: 50, idle: 50 } }))
afterAll(() => devnet.close())

const addressOf = async ({ client }: TestUser) => (await client.wallet.usdtConfig()).walletAddress
const pay = (address: string, usdt: string) => {
  devnet.faucet(address, parseUsd(usdt))
  devnet.mine(19)
}
const reaches = ({ client }: TestUser, usd: string) =>
  until(
    async () => (await client.wallet.get()).balance_usd,
    each => each === usd,
  )
const stopped = () =>
  server.services.database.kysely
    .selectFrom('chain_cursor')
    .select('stopped_reason')
    .executeTakeFirstOrThrow()
    .then(row => row.stopped_reason)

test('deposits are credited while the first endpoint is limited, and the operator reads which failed', async () => {
  const user = await server.user()
  const address = await until(
    () => addressOf(user).catch(() => ''),
    each => each !== '',
  )
  pay(address, '20')
  await reaches(user, '20.000000')
  devnet.faults.add({ kind: 'limited' })
  pay(address, '15')
  await reaches(user, '35.000000')
  expect(logged.filter(each => each.endpoint)).toMatchObject([
    { level: 40, endpoint: '1 (127.0.0.1)', why: 'limited' },
  ])
  expect(await stopped()).toBe(null)
  const verdict = await user.client.wallet.verifyUsdtPayment({
    txHash: '00'.repeat(32),
    chain: 'TRC20',
    amount: 15,
  })
  expect(verdict.error).toContain('not on the network yet')
})

test('where no endpoint answers they wait, the operator reads it once, and nothing is lost', async () => {
  const user = await server.user()
  const address = await addressOf(user)
  logged.length = 0
  devnet.faults.add({ kind: 'unavailable' })
  others[0]!.faults.add({ kind: 'error_200' })
  pay(address, '30')
  await until(stopped, each => each !== null)
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(logged.filter(each => each.level === 50)).toHaveLength(1)
  devnet.faults.clear()
  others[0]!.faults.clear()
  await reaches(user, '30.000000')
  expect(await stopped()).toBe(null)
})
