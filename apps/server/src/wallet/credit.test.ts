/** The credit for a first deposit, as its owner sees it: offered, given, used first, and nowhere to be taken out. */
import { describe, expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({
  env: { INGOT_CREDIT: 'on', INGOT_CREDIT_DAYS: '30', INGOT_WITHDRAWALS: 'on' },
})
/** Final at once. */
async function pay({ client }: TestUser, usdt: string): Promise<void> {
  await server.faucet((await client.wallet.usdtConfig()).walletAddress, usdt)
  server.services.devnet!.mine(19)
  await until(
    () => client.wallet.deposits(),
    ({ items }) => items.length > 0 && items.every(({ status }) => status === 'confirmed'),
  )
}

describe('while the operator gives credit', () => {
  test('it is offered until it is given, once, and stands beside the balance with its end', async () => {
    const user = await server.user()
    const { client } = user
    expect((await client.wallet.get()).credit).toBe(null)
    expect((await client.wallet.usdtConfig()).credit).toEqual({
      amountUsd: '10.000000',
      minimumUsdt: '10.000000',
      days: 30,
    })
    const before = Date.now()
    await pay(user, '12')
    const wallet = await client.wallet.get()
    expect(wallet).toMatchObject({
      balance_usd: '12.000000',
      level: 'low',
      credit: { amount_usd: '10.000000' },
    })
    const days = (Date.parse(wallet.credit!.ends_at) - before) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(30)
    expect(days).toBeLessThan(30.01)
    expect((await client.wallet.usdtConfig()).credit).toBe(null)
    expect((await client.activity.usageLogs({ action: 'credit_granted' })).items).toMatchObject([
      { message: expect.stringContaining('$10.00 of credit, used before the balance, until ') },
    ])
    await pay(user, '20')
    expect((await client.wallet.get()).credit).toEqual(wallet.credit)
  })

  test('it pays a deploy, which the bill says, comes back on delete, and cannot be withdrawn', async () => {
    const user = await server.user()
    await pay(user, '10')
    const { id } = await user.client.instances.create(a40({ start: false }))
    const wallet = async () => {
      const { balance_usd, credit } = await user.client.wallet.get()
      return { balance_usd, credit: credit?.amount_usd }
    }
    expect(await wallet()).toEqual({ balance_usd: '10.000000', credit: '9.250000' })
    const { items } = await user.client.billing.list()
    expect(items.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['deploy', '-0.750000'],
      ['promotion', '0.750000'],
      ['deposit', '10.000000'],
    ])
    // What enters the wallet and leaves it at once is no peak of the balance.
    const { points } = await user.client.billing.balance()
    expect([...new Set(points.map(({ balance }) => balance))]).toEqual(['0.000000', '10.000000'])
    expect(await user.client.billing.receipt({ id: items[1]!.id })).toMatchObject({
      balance_before: '10.000000',
      balance_after: '10.750000',
      usage: null,
    })
    await user.client.instances.delete({ id })
    await until(wallet, ({ credit }) => credit === '10.000000')
    expect((await wallet()).balance_usd).toBe('10.000000')
    expect((await user.client.withdrawals.terms()).withdrawable).toBe('10.000000')
  })

  test('the receipt of time says how much of it credit paid', async () => {
    const user = await server.user()
    await pay(user, '10')
    const { id } = await user.client.instances.create(a40({}))
    await until(
      () => user.client.instances.get({ id }),
      ({ status }) => status === 'running',
    )
    await server.advance(2 * 3_600_000)
    await user.client.instances.stop({ id })
    const { items } = await user.client.billing.list({ kind: 'usage' })
    const { usage } = await user.client.billing.receipt({ id: items[0]!.id })
    expect(Number(usage!.credit)).toBeGreaterThan(0)
    expect(usage!.credit).toBe(usage!.amount)
    expect((await user.client.wallet.get()).balance_usd).toBe('10.000000')
  })
})
