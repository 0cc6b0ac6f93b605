import {
  billingPeriods,
  type Configuration,
  dataStorageGb,
  deployTotalMicro,
  gpuCounts,
  gpuTypes,
  hourlyCostMicro,
  monthlyEstimateMicro,
  priceOf,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import { parseUsd } from '@ingot/contracts/money'
import { expect, test } from 'vitest'
import { balanceLastsMs, depositFor, pricedGpu } from './deploy-price.ts'

const a40: Configuration = { gpu_type: 'A40', gpu_count: 1, system_storage_gb: 40, data_storage_gb: 100 }
const price = (c: Configuration, period: (typeof billingPeriods)[number]) =>
  priceOf(pricedGpu(undefined, c.gpu_type), c, period)

test('for everything that is for sale, the figures are the ones the service computes', () => {
  let compared = 0
  for (const gpu_type of gpuTypes)
    for (const gpu_count of gpuCounts)
      for (const system_storage_gb of systemStorageGb)
        for (const data_storage_gb of dataStorageGb)
          for (const period of billingPeriods) {
            const c = { gpu_type, gpu_count, system_storage_gb, data_storage_gb }
            const { hourly, total, monthly, gpuTotal, storageTotal } = price(c, period)
            expect([hourly, total]).toEqual([hourlyCostMicro(c), deployTotalMicro(c, period)])
            expect(monthly).toBe(monthlyEstimateMicro(c))
            expect(gpuTotal + storageTotal).toBe(total)
            compared++
          }
  expect(compared).toBe(10 * 4 * 5 * 5 * 3)
})

test('the price follows the catalogue that the service answered, not the one in the page', () => {
  const dearer = { ...pricedGpu(undefined, 'A40'), hourly_price: '0.800000' }
  expect(priceOf(pricedGpu([dearer], 'A40'), a40, 'hourly').hourly).toBe(parseUsd('0.80'))
})

test('storage is free up to 140 GB and named beyond', () => {
  expect(price(a40, 'hourly')).toMatchObject({ extraStorageGb: 0, storageHourly: 0n })
  expect(price({ ...a40, data_storage_gb: 200 }, 'hourly')).toMatchObject({
    extraStorageGb: 100,
    storageHourly: 13_889n,
  })
  expect(price({ ...a40, data_storage_gb: 200 }, '3month').storageTotal).toBe(parseUsd('30'))
})

test('how long a balance lasts counts the first hour once, and what runs already', () => {
  const hourly = price(a40, 'hourly')
  expect(balanceLastsMs(parseUsd('7.5'), 0n, hourly, 'hourly')).toBe(10 * 3_600_000)
  expect(balanceLastsMs(parseUsd('7.5'), parseUsd('0.75'), hourly, 'hourly')).toBe(5 * 3_600_000)
})

test('an upfront term draws nothing by the hour: only what is left after it can run out', () => {
  const term = price(a40, '3month')
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
