import { expect, test } from 'vitest'
import {
  billingPeriods,
  type Configuration,
  dataStorageGb,
  deployTotalMicro,
  gpuCounts,
  gpus,
  gpuTypes,
  hourlyCostMicro,
  listedGpu,
  priceOf,
  savingsPercent,
  systemStorageGb,
} from './catalog.ts'
import { parseUsd } from './money.ts'

const a40: Configuration = { gpu_type: 'A40', gpu_count: 1, system_storage_gb: 40, data_storage_gb: 100 }
const price = (c: Configuration, period: (typeof billingPeriods)[number]) =>
  priceOf(listedGpu(c.gpu_type), c, period)

/** As docs/money.md says it, in cents, gigabytes and months. */
const cents = (dollars: string) => Math.round(Number(dollars) * 100)
const extraGb = (c: Configuration) => Math.max(0, c.system_storage_gb + c.data_storage_gb - 140)
const months = { '3month': 3, '1year': 12 }
const perGbHour = 100_000 / 720

test('for everything that is for sale, the figures are the ones the service computes', () => {
  let compared = 0
  for (const gpu_type of gpuTypes)
    for (const gpu_count of gpuCounts)
      for (const system_storage_gb of systemStorageGb)
        for (const data_storage_gb of dataStorageGb)
          for (const period of billingPeriods) {
            const c = { gpu_type, gpu_count, system_storage_gb, data_storage_gb }
            const { hourly, total, monthly, gpuTotal, storageTotal } = price(c, period)
            const perHour = cents(gpus[gpu_type].hourly) * gpu_count * 10_000 + extraGb(c) * perGbHour
            expect(Math.abs(Number(hourly) - perHour)).toBeLessThanOrEqual(0.5)
            const atOnce =
              period === 'hourly'
                ? Number(hourly)
                : cents(gpus[gpu_type].upfront[period]) * gpu_count * 10_000 +
                  extraGb(c) * 100_000 * months[period]
            expect(Number(total)).toBe(atOnce)
            expect([hourly, total]).toEqual([hourlyCostMicro(c), deployTotalMicro(c, period)])
            expect(monthly).toBe(hourly * 720n)
            expect(gpuTotal + storageTotal).toBe(total)
            compared++
          }
  expect(compared).toBe(10 * 4 * 5 * 5 * 3)
})

test('storage is free up to 140 GB and named beyond', () => {
  expect(price(a40, 'hourly')).toMatchObject({ extraStorageGb: 0, storageHourly: 0n })
  expect(price({ ...a40, data_storage_gb: 200 }, 'hourly')).toMatchObject({
    extraStorageGb: 100,
    storageHourly: 13_889n,
  })
  expect(price({ ...a40, data_storage_gb: 200 }, '3month').storageTotal).toBe(parseUsd('30'))
})

test('a term saves what the specification’s labels say, but for the A40, whose totals save more', () => {
  for (const type of gpuTypes)
    expect([savingsPercent(type, '3month'), savingsPercent(type, '1year')]).toEqual(
      type === 'A40' ? [67, 70] : [18, 50],
    )
})
