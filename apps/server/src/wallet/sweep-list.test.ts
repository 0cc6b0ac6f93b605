import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseAddress, toBase58 } from '@ingot/tron/address'
import { developmentAccount } from '@ingot/tron/devnet/accounts'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { startTestChain } from './test-chain.ts'

const program = fileURLToPath(new URL('sweep-list.ts', import.meta.url))
const { devnet, env } = await startTestChain(1)
afterAll(() => devnet.close())

/** What it printed, and its exit code. */
const run = (more: Record<string, string>, ...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>(resolve => {
    const { DATABASE_URL: _, INGOT_DATA_DIR: __, ...rest } = process.env
    execFile(process.execPath, [program, ...args], { env: { ...rest, ...more } }, (error, out, said) =>
      resolve({ code: error ? Number(error.code) : 0, out, error: said.trim() }),
    )
  })

test('it names addresses that hold at least so much, each with the path of its key, and nothing that can spend', async () => {
  await using database = await createTestDatabase({ as: 'owner' })
  const settings = { ...env, DATABASE_URL: database.url }
  const { accountKey } = (await import('./chain.ts')).openTronChain(
    {
      kind: 'tron',
      endpoints: [{ url: env['INGOT_TRON_ENDPOINT']! }],
      xpub: env['INGOT_TRON_XPUB']!,
      contract: devnet.usdtContract,
      network: 'x',
    },
    { reviewMicro: null, creditDays: null },
  )
  /** An address whose recorded deposit is what the chain has. */
  const give = async (index: number, micro: bigint, key = accountKey, base58?: string) => {
    const user = newId()
    const { address20 } = developmentAccount(`m/44'/195'/7'/0/${index}`)
    const bytes = Buffer.from(address20, 'hex')
    await sql`insert into auth_user (id) values (${user})`.execute(database.kysely)
    await sql`insert into deposit_address (chain, account_key, user_id, idx, address20, base58)
      values ('tron', ${key}, ${user}, ${index}, ${bytes}, ${base58 ?? toBase58(address20)})`.execute(
      database.kysely,
    )
    await sql`select credit_deposit(${newId()}, 'tron', ${Buffer.alloc(32, index + 1)}, 0, ${user}, 7, now(), ${Buffer.alloc(20, 1)}, ${bytes},
      ${micro}, 10000000, 19, now())`.execute(database.kysely)
    devnet.faucet(address20, micro)
    devnet.mine(19)
    return toBase58(address20)
  }
  const [rich, poor, former] = [
    await give(0, 812_500_000n),
    await give(1, 3n),
    await give(2, 70_000_000n, 'former'),
  ]
  const all = await run(settings)
  expect(all).toMatchObject({ code: 0, error: '' })
  const list = JSON.parse(all.out) as { addresses: { address: string; path: string | null }[] }
  expect(list).toMatchObject({
    total_usdt: '882.500003',
    block: devnet.head('solid').height,
    account: accountKey,
  })
  expect(new Map(list.addresses.map(each => [each.address, each.path]))).toEqual(
    new Map([
      [rich, "m/44'/195'/7'/0/0"],
      [poor, "m/44'/195'/7'/0/1"],
      [former, null],
    ]),
  )
  expect(all.out).not.toMatch(/xpub|xprv|key/)
  const some = JSON.parse((await run(settings, '100')).out) as typeof list
  expect(some.addresses).toEqual([
    {
      index: 0,
      path: "m/44'/195'/7'/0/0",
      account: accountKey,
      address: rich,
      usdt: '812.500000',
      recorded_usdt: '812.500000',
      last_deposit_block: 7,
    },
  ])
  // The key at that path is the address’s.
  expect(developmentAccount(list.addresses.find(each => each.address === rich)!.path!).address20).toBe(
    parseAddress(rich),
  )

  await give(3, 90_000_000n, accountKey, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
  devnet.faucet('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 1n)
  devnet.mine(19)
  const changed = await run(settings)
  expect(changed).toMatchObject({ code: 1, out: '' })
  expect(changed.error).toBe('There is no list: deposit address 3 does not come from the configured xpub.')
})

test.each([
  ['an amount that is none', {}, ['all'], /least amount of USDT/],
  ['nothing', {}, ['0'], /least amount of USDT/],
  ['the test chain', { INGOT_TRON_ENDPOINT: '', INGOT_TRON_XPUB: '' }, [], /test chain has nothing to sweep/],
])('it refuses %s with a sentence', async (_, more, args, said) => {
  const { code, out, error } = await run({ ...env, ...more }, ...args)
  expect([code, out]).toEqual([1, ''])
  expect(error).toMatch(said)
})
