import { type BillingPeriod, deployDefaults, priceOf } from '@ingot/contracts/catalog'
import { parseUsd } from '@ingot/contracts/money'
import { specifiedGpu } from '@ingot/contracts/test-catalog'
import { expect, test } from 'vitest'
import { balanceLastsMs, depositFor } from './deploy-price.ts'

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

test('a deposit covers the shortfall to the next cent and is never below the smallest', () => {
  const ten = parseUsd('10')
  expect(depositFor(parseUsd('0.75'), 0n, ten)).toEqual({ shortfall: parseUsd('0.75'), deposit: ten })
  expect(depositFor(parseUsd('100.000001'), parseUsd('50'), ten)).toEqual({
    shortfall: parseUsd('50.000001'),
    deposit: parseUsd('50.01'),
  })
  expect(depositFor(parseUsd('5'), parseUsd('6'), ten).shortfall).toBe(0n)
})
