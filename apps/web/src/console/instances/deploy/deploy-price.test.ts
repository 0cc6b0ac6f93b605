import { type BillingPeriod, deployDefaults, priceOf } from '@ingot/contracts/catalog'
import { parseUsd } from '@ingot/contracts/money'
import { specifiedGpu } from '@ingot/contracts/test-catalog'
import { expect, test } from 'vitest'
import { balanceLastsMs } from './deploy-price.ts'

const a40 = (period: BillingPeriod) => priceOf(specifiedGpu('A40'), deployDefaults, period)

test('how long a balance lasts counts the first hour once, and what runs already', () => {
  const hourly = a40('hourly')
  expect(balanceLastsMs(parseUsd('7.5'), 0n, hourly, 'hourly')).toBe(10 * 3_600_000)
  expect(balanceLastsMs(parseUsd('7.5'), parseUsd('0.75'), hourly, 'hourly')).toBe(5 * 3_600_000)
})

test('an upfront term draws nothing by the hour: only what is left after it can run out', () => {
  const term = a40('3month')
  expect(balanceLastsMs(parseUsd('600'), 0n, term, '3month')).toBeNull()
  expect(balanceLastsMs(parseUsd('535'), parseUsd('1'), term, '3month')).toBe(0)
  expect(balanceLastsMs(parseUsd('545'), parseUsd('1'), term, '3month')).toBe(10 * 3_600_000)
})
