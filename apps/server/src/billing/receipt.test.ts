import { parseUsd } from '@ingot/contracts/money'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()

test('every line of a bill has a receipt that adds up: the balance around it, the time, and where it came from', async () => {
  const user = await server.user('20')
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '25')
  const deposited = await until(
    () => user.client.billing.list({ search: 'Deposit of 25.00 USDT', status: 'paid' }),
    ({ items }) => items.length > 0,
  )
  const { id } = await user.client.instances.create(a40({ name: 'box' }))
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  await server.advance(100 * 60_000)
  await user.client.instances.stop({ id })
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'stopped',
  )
  const { items } = await user.client.billing.list({ limit: 100 })
  const receipts = await Promise.all(items.map(entry => user.client.billing.receipt({ id: entry.id })))
  expect(receipts.map(({ entry }) => entry)).toEqual(items)
  const oldestFirst = receipts.toReversed()
  for (const [at, { entry, balance_before, balance_after }] of oldestFirst.entries()) {
    expect(parseUsd(balance_before!) + parseUsd(entry.amount)).toBe(parseUsd(balance_after!))
    if (at > 0) expect(balance_before).toBe(oldestFirst[at - 1]!.balance_after)
  }
  expect(receipts[0]!.balance_after).toBe((await user.client.wallet.get()).balance_usd)

  const measured = receipts.filter(({ usage }) => usage !== null)
  expect(measured.length).toBeGreaterThan(0)
  for (const { entry, usage, instance } of measured) {
    const { ms, price_per_hour, amount, prepaid, wallet, carried_in, carried_out, is_return } = usage!
    expect(Date.parse(usage!.to) - Date.parse(usage!.from)).toBe(ms)
    expect(parseUsd(price_per_hour) * BigInt(ms) + BigInt(carried_in)).toBe(
      parseUsd(amount) * 3_600_000n + BigInt(carried_out),
    )
    expect(parseUsd(prepaid) + parseUsd(wallet)).toBe(parseUsd(amount))
    expect(-parseUsd(wallet)).toBe(parseUsd(entry.amount))
    expect(is_return).toBe(false)
    expect(instance).toMatchObject({ id, name: 'box', status: 'stopped', gpu_type: 'A40' })
  }
  const deposit = receipts.find(({ entry }) => entry.id === deposited.items[0]!.id)!
  expect(deposit.deposit).toMatchObject({ txid: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(deposit).toMatchObject({ usage: null, instance: null })
})

test('a deposit on its way has a receipt without a balance, and nobody else has any', async () => {
  const [user, stranger] = [await server.user(), await server.user()]
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '4')
  const { items } = await until(
    () => user.client.billing.list({ status: 'pending' }),
    found => found.items.length > 0,
  )
  const { id } = items[0]!
  expect(await user.client.billing.receipt({ id })).toMatchObject({
    entry: { id, status: 'pending', amount: '4.000000' },
    number: null,
    balance_before: null,
    balance_after: null,
    deposit: { txid: expect.any(String) },
  })
  await expect(stranger.client.billing.receipt({ id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(user.client.billing.receipt({ id: newId() })).rejects.toMatchObject({ code: 'not_found' })
})
