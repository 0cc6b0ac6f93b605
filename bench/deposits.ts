/**
 * From the moment a payment's block is final to the balance on the screen, and what the scanner asks of the chain for it,
 * with 1,000 deposit addresses and the pace of the real chain: a block every 3 s. The product runs as on a real chain,
 * against a devnet in this process.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { developmentKey } from '@ingot/tron/devnet/accounts'
import { createDevnet, type Devnet } from '@ingot/tron/devnet/devnet'
import pg from 'pg'
import { embeddedUrl, signIn, startProduct } from '../apps/server/src/product/test-process.ts'
import { median, quantile, type Result } from './report.ts'

const blockMs = 3_000
/** Fewer than the real chain's: time until a block is final is not what is measured. */
const solidDepth = 2
const addresses = 1_000
const payments = 20
const perPayment = 10
const idleMs = 120_000

export async function benchDeposits(): Promise<Result[]> {
  const devnet = createDevnet({ blockMs: 0, solidDepth })
  const { url } = await devnet.start()
  const requests = countRequests(devnet)
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-deposits-'))
  await chmod(dir, 0o711)
  devnet.mine(solidDepth + 1)
  const mining = setInterval(() => devnet.mine(), blockMs)
  const product = await startProduct({
    dir,
    env: {
      INGOT_TRON_ENDPOINT: url,
      INGOT_TRON_XPUB: developmentKey("m/44'/195'/7'").publicExtendedKey,
      INGOT_TRON_CONTRACT: devnet.usdtContract,
      INGOT_SELL_SIMULATED: 'I sell simulated GPUs for real money',
    },
  })
  try {
    const client = await signIn(product.url, product.admin!)
    const { walletAddress } = await client.wallet.usdtConfig()
    await giveAddresses(embeddedUrl(dir))
    const balance = async () => Number((await client.wallet.get()).balance_usd)

    await sleep(5_000)
    requests()
    await sleep(idleMs)
    const idlePerHour = requests() * (3_600_000 / idleMs)
    const idle = await measure(devnet, walletAddress, balance)
    const watching = setInterval(() => void client.wallet.deposits({}), 10_000)
    await client.wallet.deposits({})
    requests()
    const from = performance.now()
    const watched = await measure(devnet, walletAddress, balance)
    const busyPerHour = requests() * (3_600_000 / (performance.now() - from))
    clearInterval(watching)
    return [
      latency('Final block → balance, somebody watches', watched, 5_000),
      latency('Final block → balance, nobody watches', idle, 35_000),
      rate(`Requests to the chain, ${addresses} addresses, idle`, idlePerHour),
      rate(`Requests to the chain, ${addresses} addresses, watched, a payment each block`, busyPerHour),
    ]
  } finally {
    clearInterval(mining)
    await product.stop()
    await devnet.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** A payment in every block; how long after its block was final each was in the balance, in ms. */
async function measure(devnet: Devnet, to: string, balance: () => Promise<number>): Promise<number[]> {
  const before = await balance()
  const blocks: number[] = []
  const solidAt: number[] = []
  const seenAt: number[] = []
  const end = devnet.onChange(() => {
    const now = performance.now()
    const solid = devnet.head('solid').height
    while (blocks.length > solidAt.length && blocks[solidAt.length]! <= solid) solidAt.push(now)
    if (blocks.length < payments) {
      // It goes into the next block.
      devnet.faucet(to, BigInt(perPayment) * 1_000_000n)
      blocks.push(devnet.head('latest').height + 1)
    }
  })
  while (seenAt.length < payments) {
    const seen = Math.round((await balance()) - before) / perPayment
    while (seenAt.length < seen) seenAt.push(performance.now())
    await sleep(50)
  }
  end()
  return seenAt.map((at, index) => at - solidAt[index]!)
}

/** How many there were since it was asked last. */
function countRequests({ faults }: Devnet): () => number {
  const { strike } = faults
  let count = 0
  Object.assign(faults, { strike: (request: string) => (count++, strike(request)) })
  return () => {
    const since = count
    count = 0
    return since
  }
}

async function giveAddresses(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `with owner as (insert into auth_user (id) values (gen_random_uuid()) returning id)
    insert into deposit_address (chain, account_key, user_id, idx, address20, base58)
    select 'tron', 'bench ' || n, owner.id, n, decode(md5(n::text) || '00000000', 'hex'), 'T' || n
    from owner, generate_series(2, $1::int) n`,
    [addresses],
  )
  await client.end()
}

const latency = (what: string, ms: readonly number[], atMost: number): Result => ({
  what,
  figure: `median ${(median(ms) / 1000).toFixed(1)} s, worst ${(quantile(ms, 1) / 1000).toFixed(1)} s`,
  floor: '',
  value: median(ms),
  unit: 'ms',
  wanted: { atMost },
  note: `${ms.length} payments`,
})

const rate = (what: string, perHour: number): Result => ({
  what,
  figure: `${perHour.toFixed(0)} an hour`,
  floor: '',
  value: perHour,
  unit: 'an hour',
  wanted: null,
})
