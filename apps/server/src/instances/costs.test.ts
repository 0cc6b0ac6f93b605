/** What one instance says that it cost, beside what the ledger and the account's usage say. */
import { parseUsd } from '@ingot/contracts/money'
import { expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'
import { a40 } from './test-rows.ts'

const server = useTestServer()
const hour = 3_600_000

test('a run and a day cost what the account’s usage says, before and after midnight, and nothing once it has stopped', async () => {
  const user = await server.user('200')
  const { id } = await user.client.instances.create(a40())
  await user.client.instances.wait({ id, status: 'running' })
  const other = await user.client.instances.create(a40({ name: 'other' }))
  await user.client.instances.wait({ id: other.id, status: 'running' })
  const begun = Date.parse((await user.client.instances.get({ id })).started_at!)
  const midnight = Math.ceil(begun / (24 * hour)) * 24 * hour

  await server.advance(2 * hour)
  const costs = await user.client.instances.costs({ id })
  const ran = Date.parse(costs.at) - begun
  expect(costs.drawing_per_hour).toBe('0.750000')
  expect(parseUsd(costs.run!)).toBe((750_000n * BigInt(ran)) / 3_600_000n)
  const today = Math.min(ran, Math.max(0, Date.parse(costs.at) - midnight))
  if (today === 0) expect(costs.today).toBe(costs.run)

  await server.advance(midnight + 3 * hour - server.services.clock.now())
  const later = await user.client.instances.costs({ id })
  const day = later.at.slice(0, 10)
  const { items } = await user.client.billing.usage({ by: 'instance', from: day, to: day })
  expect(items).toHaveLength(2)
  const mine = items.find(({ key }) => key === id)!
  // The account was asked some milliseconds later.
  expect(Number(mine.amount)).toBeGreaterThanOrEqual(Number(later.today))
  expect(Number(mine.amount)).toBeCloseTo(Number(later.today), 2)
  expect(Number(later.today)).toBeLessThan(Number(later.run))

  await user.client.instances.stop({ id })
  await user.client.instances.wait({ id, status: 'stopped' })
  const over = await user.client.instances.costs({ id })
  expect(over).toMatchObject({ run: null, drawing_per_hour: '0.000000' })
  const end = await user.client.billing.usage({ by: 'instance', from: day, to: day })
  expect(end.items.find(({ key }) => key === id)!.amount).toBe(over.today)
})

test('what a term pays for costs nothing by the second, and what was never started nothing at all', async () => {
  const user = await server.user('20000')
  const { id } = await user.client.instances.create(a40({ billing_period: '3month' }))
  await user.client.instances.wait({ id, status: 'running' })
  await server.advance(hour)
  expect(await user.client.instances.costs({ id })).toMatchObject({
    run: '0.000000',
    today: '0.000000',
    drawing_per_hour: '0.000000',
  })
  const idle = await user.client.instances.create(a40({ start: false }))
  expect(await user.client.instances.costs({ id: idle.id })).toMatchObject({ run: null, today: '0.000000' })
})
