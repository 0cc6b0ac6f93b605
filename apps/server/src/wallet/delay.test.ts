/** Nodes that stand still without an error: nothing fails, and nothing arrives. */
import { parseUsd } from '@ingot/contracts/money'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { check } from '../site/check.ts'
import { startTestChain } from './test-chain.ts'

let ageMs = 600_000
const { devnet, env } = await startTestChain(2, { now: () => Date.now() - ageMs })
devnet.mine(30)
const logged: string[] = []
const log = pino(
  { level: 'warn' },
  { write: line => void logged.push((JSON.parse(line) as { msg: string }).msg) },
)
const server = useTestServer({ env, log })
beforeAll(() => Object.assign(server.services.chain, { scanEveryMs: { watched: 50, idle: 50 } }))
afterAll(() => devnet.close())

const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const configOf = ({ client }: TestUser) => client.wallet.usdtConfig()
const deposits = async () =>
  (await check(server.services, null, 0)).checks.find(each => each.name === 'Deposits')
const passes = () =>
  server.services.database.kysely
    .selectFrom('chain_cursor')
    .select('scanned_at')
    .executeTakeFirst()
    .then(row => row?.scanned_at ?? null)

test('a height that stands still is a delay, though every pass succeeds; the dialog and the status say by how much', async () => {
  const user = await server.user()
  await until(passes, at => at !== null)
  const before = await passes()
  await until(passes, at => at !== before)
  expect(await configOf(user)).toMatchObject({ delayedMinutes: 10 })
  expect(await deposits()).toEqual({ name: 'Deposits', ok: false, detail: 'Delayed by 10 minutes' })
  expect(logged).toContain('a TRON endpoint stands still: the next one is asked')
})

test('what a node says that stands still is taken all the same, and one that goes on is asked instead of it', async () => {
  const user = await server.user()
  const { walletAddress } = await configOf(user)
  devnet.faucet(walletAddress, parseUsd('20'))
  devnet.mine(19)
  await until(
    () => balance(user),
    usd => usd === '20.000000',
  )
  // The first endpoint keeps the height that it has.
  ageMs = 0
  devnet.faults.add({ kind: 'stale', blocks: 40 })
  devnet.faucet(walletAddress, parseUsd('15'))
  devnet.mine(40)
  await until(
    () => balance(user),
    usd => usd === '35.000000',
  )
  await until(
    () => configOf(user),
    config => config.delayedMinutes === null,
  )
  expect(await deposits()).toEqual({ name: 'Deposits', ok: true, detail: 'Up to date' })
})
