import { faucetAccount } from '@ingot/tron/devnet/accounts'
import { batchPayer20, usdt20 } from '@ingot/tron/devnet/contracts'
import { parseAddress } from '@ingot/tron/address'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()
const addressOf = async ({ client }: TestUser) => (await client.wallet.usdtConfig()).walletAddress
const pay = (address: string, amount_usdt: string) => server.faucet(address, amount_usdt)
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const reaches = (user: TestUser, usd: string) =>
  until(
    () => balance(user),
    each => each === usd,
  )

describe('deposits', () => {
  test('what arrives at one’s own address is credited by itself, after it was shown arriving', async () => {
    const user = await server.user()
    const config = await user.client.wallet.usdtConfig()
    expect(config).toMatchObject({ networkName: 'Test network: never send real USDT', isTestNetwork: true })
    const txHash = await pay(config.walletAddress, '25')
    const [arriving] = (
      await until(
        () => user.client.wallet.deposits(),
        list => list.items.length > 0,
      )
    ).items
    expect(arriving).toMatchObject({ tx_hash: txHash, amount_usdt: '25.000000', confirmations_needed: 19 })
    await reaches(user, '25.000000')
    expect((await user.client.wallet.deposits()).items).toMatchObject([
      { status: 'confirmed', confirmations: 19 },
    ])
    expect((await user.client.billing.list()).items).toMatchObject([
      { amount: '25.000000', status: 'paid', description: 'Deposit of 25.00 USDT' },
    ])
  })

  test('a wallet that cannot be made is named as that, and made at the next look', async () => {
    const user = await server.user()
    await sql`alter table wallets add constraint none_for_now check (user_id <> ${sql.lit(user.id)}) not valid`.execute(
      server.owner,
    )
    await expect(user.client.wallet.get()).rejects.toMatchObject({
      code: 'wallet_not_created',
      status: 503,
      message: 'Failed to create wallet',
    })
    await sql`alter table wallets drop constraint none_for_now`.execute(server.owner)
    expect(await balance(user)).toBe('0.000000')
  })

  test('every user has an address of their own, always the same, also when asked for twice at once', async () => {
    const [ada, bob] = [await server.user(), await server.user()]
    const [first, second] = await Promise.all([addressOf(ada), addressOf(ada)])
    expect(second).toBe(first)
    expect(await addressOf(bob)).not.toBe(first)
  })

  test('a transaction that pays two customers, one of them twice, is three credits', async () => {
    const [ada, bob] = [await server.user(), await server.user()]
    const [a, b] = [parseAddress(await addressOf(ada)), parseAddress(await addressOf(bob))]
    const { devnet } = server.services
    devnet!.trigger(faucetAccount(), usdt20, 'approve(address,uint256)', [batchPayer20, 10n ** 12n])
    devnet!.trigger(faucetAccount(), batchPayer20, 'disperse(address,address[],uint256[])', [
      usdt20,
      96n,
      224n,
      3n,
      a,
      b,
      a,
      3n,
      10_000_000n,
      20_000_000n,
      12_000_000n,
    ])
    await Promise.all([reaches(ada, '22.000000'), reaches(bob, '20.000000')])
    expect((await ada.client.wallet.deposits()).items).toHaveLength(2)
  })

  test('below the minimum it is recorded, and credited as soon as the sum reaches the minimum', async () => {
    const user = await server.user()
    const address = await addressOf(user)
    await pay(address, '4')
    await until(
      () => user.client.wallet.deposits(),
      list => list.items[0]?.status === 'held',
    )
    expect(await balance(user)).toBe('0.000000')
    expect((await user.client.billing.list()).items[0]).toMatchObject({ status: 'pending' })
    await pay(address, '6.5')
    await reaches(user, '10.500000')
  })

  test('what is held for another reason than the minimum is neither credited nor counted when more arrives', async () => {
    const user = await server.user()
    const address = await addressOf(user)
    const deposits = async () => (await user.client.wallet.deposits()).items
    const reaches = (status: string[]) =>
      until(deposits, items => items.map(each => each.status).join() === status.join())
    await pay(address, '4')
    await reaches(['held'])
    await sql`update chain_deposit set held_reason = 'account_deleted' where user_id = ${user.id}`.execute(
      server.owner,
    )
    await pay(address, '7')
    await reaches(['held', 'held'])
    await pay(address, '5')
    await reaches(['confirmed', 'confirmed', 'held'])
    expect(await balance(user)).toBe('12.000000')
    // For the audit: this reason belongs to an account that is gone.
    await sql`update chain_deposit set held_reason = 'below_minimum' where user_id = ${user.id} and state = 'held'`.execute(
      server.owner,
    )
  })

  test('an address that was changed in its row is never shown', async () => {
    const user = await server.user()
    await addressOf(user)
    await sql`update deposit_address set base58 = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' where user_id = ${user.id}`.execute(
      server.owner,
    )
    await expect(addressOf(user)).rejects.toMatchObject({ code: 'internal' })
  })

  test('a node that fails, lies or lags delays a credit and never doubles or loses it', async () => {
    const user = await server.user()
    const address = await addressOf(user)
    const { faults } = server.services.devnet!
    for (const kind of [
      'error_200',
      'limited',
      'unavailable',
      'truncated',
      'unknown',
      'stale',
      'lite',
    ] as const)
      faults.add({ kind, times: 2 })
    await pay(address, '30')
    await reaches(user, '30.000000')
    faults.clear()
  })
})

describe('asking about a transaction by its hash', () => {
  const verify = (user: TestUser, txHash: string) =>
    user.client.wallet.verifyUsdtPayment({ txHash, chain: 'TRC20', amount: 25 })

  test('is a look-up: confirmed once, afterwards "already processed", and the money came without it', async () => {
    const user = await server.user()
    const txHash = await pay(await addressOf(user), '25')
    await reaches(user, '25.000000')
    expect(await verify(user, ` 0x${txHash.toUpperCase()} `)).toEqual({
      success: true,
      status: 'confirmed',
      actualAmount: 25,
      error: null,
    })
    expect(await verify(user, txHash)).toMatchObject({
      success: false,
      status: 'confirmed',
      error: 'Transaction already processed',
    })
    expect(await balance(user)).toBe('25.000000')
  })

  test('one that is on its way is pending', async () => {
    const user = await server.user()
    const address = await addressOf(user)
    const { devnet } = server.services
    devnet!.freezeSolid(true)
    const txHash = await pay(address, '25')
    await until(
      () => verify(user, txHash),
      verdict => verdict.success && verdict.status === 'pending',
    )
    devnet!.freezeSolid(false)
    await reaches(user, '25.000000')
  })

  test('another customer’s payment is "not to your address", like anybody’s, and credits nothing', async () => {
    const [ada, thief] = [await server.user(), await server.user()]
    const txHash = await pay(await addressOf(ada), '25')
    await reaches(ada, '25.000000')
    expect(await verify(thief, txHash)).toEqual({
      success: false,
      status: null,
      actualAmount: null,
      error: 'This transaction did not pay your deposit address.',
    })
    expect(await balance(thief)).toBe('0.000000')
  })

  test('an unknown one says so, and what is no hash is a field error', async () => {
    const user = await server.user()
    expect(await verify(user, '00'.repeat(32))).toMatchObject({
      success: false,
      error: expect.stringContaining('not on the network yet'),
    })
    await expect(verify(user, 'hello')).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { txHash: expect.any(String) },
    })
  })
})

describe('the faucet', () => {
  test.each([
    ['amount_usdt', { amount_usdt: -5 }],
    ['amount_usdt', { amount_usdt: '0' }],
    ['amount_usdt', { amount_usdt: '1e3' }],
    ['address', { address: 'T123' }],
  ])('refuses a bad %s', async (field, changes) => {
    const address = await addressOf(await server.user())
    const response = await server.fetch('/dev/api/faucet', {
      method: 'POST',
      body: JSON.stringify({ address, amount_usdt: 25, ...changes }),
    })
    expect(response.status).toBe(422)
    expect(Object.keys(((await response.json()) as { error: { fields: object } }).error.fields)).toContain(
      field,
    )
  })

  test('answers only to this machine by its own name, so that a page elsewhere cannot read the inbox', async () => {
    const { port } = new URL(server.url)
    const http = await import('node:http')
    const status = await new Promise(resolve =>
      http.get(
        { host: '127.0.0.1', port, path: '/dev/api/mail', headers: { host: 'evil.example.com' } },
        response => resolve(response.statusCode),
      ),
    )
    expect(status).toBe(403)
  })
})
