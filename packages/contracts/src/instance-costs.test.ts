import { expect, test } from 'vitest'
import { gpuCounts, priceOf } from './catalog.ts'
import {
  coversStart,
  hourlyWithStorageMicro,
  quoteOf,
  returnsMicro,
  runCostMicro,
  runningRateMicro,
  startNeedsMicro,
  staleFields,
  startReserveMicro,
  termReturnMicro,
  termReturnsUntilDay,
  whyNotTermEnd,
} from './instance-costs.ts'
import type { Instance } from './instances.ts'
import { formatUsd, parseUsd } from './money.ts'
import { specifiedGpus } from './test-catalog.ts'

const start = '2026-11-20T10:00:00.000Z'
const at = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000)
const instance = (changes: Partial<Instance> = {}): Instance => ({
  id: '01980000-0000-7000-8000-000000000001',
  user_id: '01980000-0000-7000-8000-000000000002',
  name: 'box',
  gpu_type: 'A40',
  gpu_count: 1,
  gpu_memory_gb: 48,
  cpu_cores: 8,
  memory_gb: 48,
  storage_gb: 140,
  system_storage_gb: 40,
  data_storage_gb: 100,
  status: 'running',
  status_reason: null,
  status_message: null,
  progress: null,
  queue: null,
  region: 'US-East',
  hardware: 'simulated',
  shell: 'real',
  public_ip: null,
  billing_period: 'hourly',
  hourly_cost: '0.750000',
  prepaid_remaining: '0.750000',
  paid_until: null,
  on_term_end: 'hourly',
  extended_ms: 0,
  template_id: null,
  template_name: 'Custom Template',
  network_volume_id: null,
  auto_shutdown_enabled: false,
  auto_shutdown_minutes: 60,
  auto_shutdown_at: null,
  snoozed_until: null,
  last_activity_at: null,
  started_at: start,
  stopped_at: null,
  created_at: start,
  updated_at: start,
  ...changes,
})

test('a run costs its time at the hourly price, and nothing runs while it is not running', () => {
  expect(runCostMicro(instance(), at(20))).toBe(parseUsd('0.25'))
  expect(runCostMicro(instance({ status: 'stopped' }), at(20))).toBeNull()
  expect(runCostMicro(instance(), at(-5))).toBe(0n)
})

test('ten years of every configuration for sale are exact', () => {
  for (const gpu of specifiedGpus)
    for (const gpu_count of gpuCounts) {
      const largest = { gpu_count, system_storage_gb: 200, data_storage_gb: 1000 }
      const { hourly } = priceOf(gpu, largest, 'hourly')
      const each = instance({ gpu_type: gpu.name, gpu_count, hourly_cost: formatUsd(hourly) })
      expect(runCostMicro(each, at(3650 * 24 * 60))).toBe(hourly * 3650n * 24n)
    }
})

test('deleting an hourly instance returns the deploy charge less the run, never less than nothing', () => {
  expect(returnsMicro(instance(), at(20))).toBe(parseUsd('0.5'))
  expect(returnsMicro(instance(), at(600))).toBe(0n)
  expect(returnsMicro(instance({ status: 'stopped', prepaid_remaining: '0.300000' }), at(600))).toBe(
    parseUsd('0.3'),
  )
})

test('deleting within a term keeps the time held, running or not; after it nothing is left', () => {
  const term = {
    billing_period: '3month',
    prepaid_remaining: '535.000000',
    paid_until: '2027-02-18T10:00:00.000Z',
  } as const
  for (const status of ['running', 'stopped'] as const)
    expect(returnsMicro(instance({ ...term, status }), at(600))).toBe(parseUsd('527.5'))
  expect(returnsMicro(instance(term), new Date('2027-03-01T00:00:00Z'))).toBe(0n)
})

test('more storage moves the price it was deployed at, whatever the catalogue says now', () => {
  const grown = (changes: Partial<Instance>, gb: number) => {
    const each = instance(changes)
    return hourlyWithStorageMicro(parseUsd(each.hourly_cost), each, gb)
  }
  expect(grown({}, 500)).toBe(parseUsd('0.805556'))
  expect(grown({ hourly_cost: '0.600000' }, 500)).toBe(parseUsd('0.655556'))
  expect(grown({ hourly_cost: '0.600000' }, 100)).toBe(parseUsd('0.6'))
})

test('more storage costs the same with a GPU that no catalogue has', () => {
  const gone = instance({ gpu_type: 'K80' })
  expect(hourlyWithStorageMicro(parseUsd('0.2'), gone, 100)).toBe(parseUsd('0.2'))
  expect(hourlyWithStorageMicro(parseUsd('0.2'), gone, 500)).toBe(parseUsd('0.255556'))
})

test('the rate counts what runs outside a term', () => {
  const all = [
    instance(),
    instance({ status: 'stopped' }),
    instance({ paid_until: '2027-02-18T10:00:00.000Z' }),
  ]
  expect(runningRateMicro(all, at(0))).toBe(parseUsd('0.75'))
})

test('a start needs ten minutes in advance, to the next micro-dollar', () => {
  expect(startReserveMicro(parseUsd('0.75'))).toBe(parseUsd('0.125'))
  expect(startReserveMicro(parseUsd('0.65'))).toBe(108_334n)
})

test('what is prepaid counts towards the ten minutes of its own instance, and an upfront term needs none', () => {
  const needs = (changes: Partial<Instance>) =>
    startNeedsMicro(instance({ status: 'stopped', hourly_cost: '0.650000', ...changes }), at(0))
  expect(needs({ prepaid_remaining: '0.000000' })).toBe(108_334n)
  expect(needs({ prepaid_remaining: '0.100000' })).toBe(8_334n)
  expect(needs({ prepaid_remaining: '0.650000' })).toBe(0n)
  expect(needs({ prepaid_remaining: '0.000000', paid_until: '2027-02-18T10:00:00.000Z' })).toBe(0n)
  expect(needs({ prepaid_remaining: '535.000000', paid_until: '2026-11-20T09:59:59.999Z' })).toBe(108_334n)
})

test('a start leaves ten minutes of what runs, unless it takes nothing', () => {
  expect(coversStart(108_334n, 0n, 108_334n)).toBe(true)
  expect(coversStart(108_333n, 0n, 108_334n)).toBe(false)
  expect(coversStart(233_333n, 125_000n, 108_334n)).toBe(false)
  expect(coversStart(233_334n, 125_000n, 108_334n)).toBe(true)
  expect(coversStart(0n, 125_000n, 0n)).toBe(true)
})

test('a quote is stale in the fields that were sent and differ, and says what they are now', () => {
  const now = quoteOf({ hourly: parseUsd('0.75'), total: parseUsd('535') })
  expect(staleFields({}, now)).toEqual({})
  expect(staleFields(now, now)).toEqual({})
  expect(staleFields({ quoted_hourly_cost: '0.750000', quoted_total: '534.000000' }, now)).toEqual({
    quoted_total: '535.000000',
  })
})

test('of an upfront total the time held is kept at the hourly price, outages left out, and never more than was paid', () => {
  const [total, hourly, day] = [parseUsd('621'), parseUsd('0.35'), 86_400_000]
  expect(formatUsd(termReturnMicro(total, hourly, 0))).toBe('621.000000')
  expect(formatUsd(termReturnMicro(total, hourly, 7 * day))).toBe('562.200000')
  const last = termReturnsUntilDay(total, hourly)
  expect(termReturnMicro(total, hourly, last * day)).toBe(0n)
  expect(termReturnMicro(total, hourly, (last - 1) * day)).toBeGreaterThan(0n)
  const held = instance({ paid_until: at(60 * 24 * 90).toISOString(), prepaid_remaining: '621.000000' })
  const whole = returnsMicro(held, at(60 * 24))
  expect(formatUsd(whole)).toBe('603.000000')
  expect(formatUsd(returnsMicro({ ...held, extended_ms: 3_600_000 }, at(60 * 24)))).toBe('603.750000')
})

test('what becomes of an instance at the end of its term can be chosen while there is one', () => {
  const inTerm = { paid_until: at(60).toISOString() }
  expect(whyNotTermEnd(inTerm, at(59))).toBeNull()
  expect(whyNotTermEnd(inTerm, at(60))).toMatch(/billed by the hour/)
  expect(whyNotTermEnd({ paid_until: null }, at(0))).toMatch(/billed by the hour/)
})
