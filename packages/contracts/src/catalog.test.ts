import { expect, test } from 'vitest'
import {
  billingPeriods,
  type Configuration,
  dataStorageGb,
  gpuCounts,
  priceOf,
  systemStorageGb,
} from './catalog.ts'
import { parseUsd } from './money.ts'
import { specifiedGpu, specifiedGpus } from './test-catalog.ts'

const one: Configuration = { gpu_count: 1, system_storage_gb: 40, data_storage_gb: 100 }
const a40 = (changes: Partial<Configuration>, period: (typeof billingPeriods)[number]) =>
  priceOf(specifiedGpu('A40'), { ...one, ...changes }, period)

/** As docs/money.md says it, in cents, gigabytes and months. */
const cents = (dollars: string) => Math.round(Number(dollars) * 100)
const extraGb = (c: Configuration) => Math.max(0, c.system_storage_gb + c.data_storage_gb - 140)
const months = { '3month': 3, '1year': 12 }
const perGbHour = 100_000 / 720

test('for everything that is for sale, the figures are the ones the service computes', () => {
  let compared = 0
  for (const gpu of specifiedGpus)
    for (const gpu_count of gpuCounts)
      for (const system_storage_gb of systemStorageGb)
        for (const data_storage_gb of dataStorageGb)
          for (const period of billingPeriods) {
            const c = { gpu_count, system_storage_gb, data_storage_gb }
            const { hourly, total, monthly, gpuTotal, storageTotal } = priceOf(gpu, c, period)
            const perHour = cents(gpu.hourly_price) * gpu_count * 10_000 + extraGb(c) * perGbHour
            expect(Math.abs(Number(hourly) - perHour)).toBeLessThanOrEqual(0.5)
            const atOnce =
              period === 'hourly'
                ? Number(hourly)
                : cents(gpu.upfront[period].total_cost) * gpu_count * 10_000 +
                  extraGb(c) * 100_000 * months[period]
            expect(Number(total)).toBe(atOnce)
            expect(monthly).toBe(hourly * 720n)
            expect(gpuTotal + storageTotal).toBe(total)
            compared++
          }
  expect(compared).toBe(10 * 4 * 5 * 5 * 3)
})

test('storage is free up to 140 GB and named beyond', () => {
  expect(a40({}, 'hourly')).toMatchObject({ extraStorageGb: 0, storageHourly: 0n })
  expect(a40({ data_storage_gb: 200 }, 'hourly')).toMatchObject({
    extraStorageGb: 100,
    storageHourly: 13_889n,
  })
  expect(a40({ data_storage_gb: 200 }, '3month').storageTotal).toBe(parseUsd('30'))
})

test('a term saves what the specification’s labels say, but for the A40, whose totals save more', () => {
  for (const { name, upfront } of specifiedGpus)
    expect([upfront['3month'].savings_percent, upfront['1year'].savings_percent]).toEqual(
      name === 'A40' ? [67, 70] : [18, 50],
    )
})
