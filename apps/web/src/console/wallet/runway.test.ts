import { gpuCounts, priceOf } from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import { specifiedGpus } from '@ingot/contracts/test-catalog'
import { describe, expect, it } from 'vitest'
import { formatLeft, formatUntil, runwayOf } from './runway.ts'

const hour = 3_600_000
const now = Date.parse('2026-11-21T12:00:00.000Z')
const wallet = (balance_usd: string, drawing_per_hour: string, empty_at: string | null = null) => ({
  balance_usd,
  drawing_per_hour,
  empty_at,
  credit: null,
})

describe('the balance between two answers', () => {
  it('falls by what runs, to the micro-dollar', () => {
    const { balanceUsd } = runwayOf(wallet('10.000000', '0.750000'), now - 90_000, now)
    expect(balanceUsd).toBe('9.981250')
  })

  it('stays while credit pays, until that ends', () => {
    const credit = { amount_usd: '1.000000', ends_at: new Date(now + hour).toISOString() }
    const given = { ...wallet('10.000000', '0.750000', null), credit }
    expect(runwayOf(given, now - hour, now)).toMatchObject({
      balanceUsd: '10.000000',
      credit: 250_000n,
      funds: 10_250_000n,
    })
    expect(runwayOf(given, now - 2 * hour, now)).toMatchObject({ balanceUsd: '9.500000', credit: 0n })
    expect(runwayOf(given, now, now + hour)).toMatchObject({ balanceUsd: '9.250000', credit: 0n })
  })

  it('never falls below zero', () => {
    expect(runwayOf(wallet('0.010000', '8.200000'), now - hour, now).balanceUsd).toBe('0.000000')
  })

  it('stands still while nothing runs, also when the browser’s clock is behind', () => {
    expect(runwayOf(wallet('10.000000', '0.000000'), now + hour, now)).toMatchObject({
      balanceUsd: '10.000000',
      leftMs: null,
      tone: 'calm',
    })
  })
})

it.each([
  ['2026-11-21T12:00:00.500Z', 'Sat 12:00'],
  ['2026-11-26T14:32:59.999Z', 'Thu 14:32'],
  ['2026-11-27T11:59:59.999Z', 'Fri 11:59'],
  ['2026-11-27T12:00:00.000Z', '27 Nov 2026'],
  ['2036-01-01T00:00:00.000Z', '1 Jan 2036'],
])('lasts until %s is said as %s', (at, text) => {
  expect(formatUntil(new Date(at), new Date(now), 'UTC')).toBe(text)
})

describe('the time left', () => {
  it.each([
    ['18.000000', 'calm'],
    ['17.990000', 'warn'],
    ['1.500000', 'warn'],
    ['1.490000', 'danger'],
    ['0.000000', 'danger'],
  ])('of %s at $0.75 per hour is %s', (balance, tone) => {
    expect(runwayOf(wallet(balance, '0.750000'), now, now).tone).toBe(tone)
  })

  it('is the earlier of what the rate says and what the service knows', () => {
    const soon = new Date(now + hour).toISOString()
    expect(runwayOf(wallet('75.000000', '0.750000', soon), now, now).leftMs).toBe(hour)
    const late = new Date(now + 900 * hour).toISOString()
    expect(runwayOf(wallet('75.000000', '0.750000', late), now, now).leftMs).toBe(100 * hour)
  })
})

it('is exact for ten years of every configuration for sale', () => {
  const years = 3650 * 24
  for (const gpu of specifiedGpus)
    for (const gpu_count of gpuCounts) {
      const largest = { gpu_count, system_storage_gb: 200, data_storage_gb: 1000 }
      const { hourly } = priceOf(gpu, largest, 'hourly')
      const full = wallet(formatUsd(hourly * BigInt(years)), formatUsd(hourly))
      expect(runwayOf(full, now, now).leftMs).toBe(years * hour)
      expect(runwayOf(full, now, now + (years - 1) * hour)).toMatchObject({ balance: hourly, leftMs: hour })
    }
})

it.each([
  [45 * 60_000, '45 min'],
  [hour, '1 h'],
  [80 * 60_000, '1 h 20 min'],
  [31.5 * hour, '31 h'],
  [300 * hour, '12 days'],
])('%d ms read as %s', (ms, text) => expect(formatLeft(ms)).toBe(text))
