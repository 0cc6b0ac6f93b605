/** The scanner with more addresses than it asks the log index about: it reads whole blocks, and nothing is missed. */
import type { Endpoint } from '@ingot/tron/endpoints'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()
const addressOf = async ({ client }: TestUser) => (await client.wallet.usdtConfig()).walletAddress
const reaches = ({ client }: TestUser, usd: string) =>
  until(
    async () => (await client.wallet.get()).balance_usd,
    each => each === usd,
  )

/** Gives out addresses until there are so many. */
async function addresses(total: number): Promise<void> {
  const { database, chain } = server.services
  await sql`
    with owner as (insert into auth_user (id) values (gen_random_uuid()) returning id),
      given as (select count(*)::int as so_far from deposit_address)
    insert into deposit_address (chain, account_key, user_id, idx, address20, base58)
    select ${chain.name}, 'xpub ' || n, owner.id, n, decode(md5(n::text) || '00000000', 'hex'), 'T' || n
    from owner, given, generate_series(given.so_far + 1, ${total}) n`.execute(database.kysely)
}

const stateOf = async (user: TestUser) =>
  (
    await server.services.database.kysely
      .selectFrom('chain_deposit')
      .select('state')
      .where('user_id', '=', user.id)
      .execute()
  ).map(row => row.state)

/** How often the scanner asked the log index, and how many blocks it read whole, since this was asked last. */
function watchReader(): () => { logs: number; blocks: number } {
  const [{ reader }] = server.services.chain.endpoints.all as [Endpoint]
  const { rpc, blockInfos } = reader
  let [logs, blocks] = [0, 0]
  Object.assign(reader, {
    rpc(calls: Parameters<typeof rpc>[0]) {
      // The look at what is arriving asks for logs up to the latest block.
      const [{ toBlock } = {}] = (calls.find(call => call.method === 'eth_getLogs')?.params ?? []) as {
        toBlock?: string
      }[]
      if (toBlock && toBlock !== 'latest') logs++
      return rpc(calls)
    },
    blockInfos(height: number) {
      blocks++
      return blockInfos(height)
    },
  } satisfies Partial<typeof reader>)
  return () => {
    const counts = { logs, blocks }
    logs = blocks = 0
    return counts
  }
}

test('a deposit is found with 4,999 addresses, with 6,000, and when the number grows while it is on its way', async () => {
  const counts = watchReader()
  const [ada, bob, cleo] = [await server.user(), await server.user(), await server.user()]
  const [a, b] = [await addressOf(ada), await addressOf(bob)]
  await addresses(4_999)
  await server.faucet(a, '25')
  await reaches(ada, '25.000000')
  expect(counts().logs).toBeGreaterThan(0)

  const { devnet } = server.services
  devnet!.freezeSolid(true)
  await server.faucet(b, '30')
  await until(
    () => stateOf(bob),
    states => states.join() === 'pending',
  )
  await addresses(6_000)
  devnet!.freezeSolid(false)
  await reaches(bob, '30.000000')
  expect(counts().blocks).toBeGreaterThan(0)

  await server.faucet(await addressOf(cleo), '40')
  await server.faucet(a, '10')
  await reaches(cleo, '40.000000')
  await reaches(ada, '35.000000')
  expect(counts().logs).toBe(0)
})

test('a transfer that is shown arriving and whose block is replaced is dropped, and never credited', async () => {
  const user = await server.user()
  const address = await addressOf(user)
  await addresses(6_000)
  const { devnet } = server.services
  devnet!.freezeSolid(true)
  await server.faucet(address, '50')
  await until(
    () => stateOf(user),
    states => states.join() === 'pending',
  )
  devnet!.reorg(devnet!.head('latest').height - devnet!.head('solid').height, { keepTransactions: false })
  devnet!.freezeSolid(false)
  await until(
    () => stateOf(user),
    states => states.join() === 'orphaned',
  )
  await server.faucet(address, '12')
  await reaches(user, '12.000000')
})
