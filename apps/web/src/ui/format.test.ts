import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatGb,
  formatHourly,
  formatMoney,
  formatRelative,
  isWholeCents,
} from './format.ts'

describe('money', () => {
  it.each([
    ['0.750000', '$0.75'],
    ['17958', '$17,958.00'],
    ['1234567.899999', '$1,234,567.90'],
    ['-12.500000', '−$12.50'],
    ['0.000000', '$0.00'],
    ['-0.000000', '$0.00'],
    ['0.995000', '$1.00'],
    ['0.985000', '$0.98'],
    ['0.009999', '$0.009999'],
    ['-0.005000', '−$0.005'],
    ['0.000001', '$0.000001'],
    ['9007199254740993.000001', '$9,007,199,254,740,993.00'],
  ])('shows %s as %s', (wire, shown) => expect(formatMoney(wire)).toBe(shown))

  it('shows every digit with six decimals', () =>
    expect(formatMoney('0.005556', { decimals: 6 })).toBe('$0.005556'))
  it('leaves out .00 only where there are no cents', () => {
    expect(formatMoney('1950.000000', { wholeDollars: true })).toBe('$1,950')
    expect(formatMoney('1950.500000', { wholeDollars: true })).toBe('$1,950.50')
  })
  it('writes an hourly price with every digit it has', () => {
    expect(formatHourly('0.750000')).toBe('$0.75/h')
    expect(formatHourly('0.763880')).toBe('$0.76388/h')
    expect(formatHourly('1000')).toBe('$1,000.00/h')
  })
  it.each(['', '1.2.3', '1e3', 'NaN', '$1', '1.0000001'])('refuses %j', text =>
    expect(() => formatMoney(text)).toThrow(RangeError),
  )
  it('knows when two decimals hide something', () => {
    expect(isWholeCents('0.350000')).toBe(true)
    expect(isWholeCents('0.353472')).toBe(false)
    expect(isWholeCents('0.35')).toBe(true)
    expect(isWholeCents('1')).toBe(true)
  })

  it('loses nothing with six decimals, whatever the amount', () =>
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n - 1n }), micro => {
        const digits = micro.toString().padStart(7, '0')
        const wire = `${digits.slice(0, -6)}.${digits.slice(-6)}`
        expect(formatMoney(wire, { decimals: 6 }).replace(/[$,]/g, '')).toBe(wire)
      }),
    ))
  it('is never off by more than half a cent with two', () =>
    fc.assert(
      fc.property(fc.bigInt({ min: 10_000n, max: 10n ** 19n - 1n }), micro => {
        const digits = micro.toString().padStart(7, '0')
        const shown = formatMoney(`${digits.slice(0, -6)}.${digits.slice(-6)}`).replace(/[$,.]/g, '')
        const off = BigInt(shown) * 10_000n - micro
        expect(off <= 5000n && off >= -5000n).toBe(true)
      }),
    ))
})

describe('time', () => {
  const now = new Date('2026-11-20T14:56:10Z')
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)

  it('is relative up to 24 hours, then not', () => {
    expect(formatRelative(before(3), now)).toBe('now')
    expect(formatRelative(before(59), now)).toBe('59 seconds ago')
    expect(formatRelative(before(720), now)).toBe('12 minutes ago')
    expect(formatRelative(before(86_399), now)).toBe('23 hours ago')
    expect(formatRelative(before(86_400), now)).toBeNull()
    expect(formatRelative(before(-7200), now)).toBe('in 2 hours')
  })
  it('states its offset from UTC', () => {
    expect(formatExact(now, 'UTC')).toBe('20 Nov 2026, 14:56:10 UTC')
    expect(formatExact(now, 'Europe/Helsinki')).toBe('20 Nov 2026, 16:56:10 UTC+2')
    expect(formatExact(now, 'Asia/Kolkata')).toBe('20 Nov 2026, 20:26:10 UTC+5:30')
  })
  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [41 * 60_000, '41m'],
    [22_200_000, '6h 10m'],
    [273_600_000, '3d 04h'],
  ])('shows %d ms as %s', (ms, shown) => expect(formatDuration(ms)).toBe(shown))
})

describe('sizes and counts', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [7_400_000_000, '7.4 GB'],
    [512_000_000, '512 MB'],
  ])('shows %d bytes as %s', (bytes, shown) => expect(formatBytes(bytes)).toBe(shown))
  it('shows whole terabytes as such', () => {
    expect(formatGb(140)).toBe('140 GB')
    expect(formatGb(1000)).toBe('1 TB')
  })
  it('groups counts', () => expect(formatCount(1208)).toBe('1,208'))
})
