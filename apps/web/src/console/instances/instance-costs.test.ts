import type { Instance } from '@ingot/contracts/instances'
import { parseUsd } from '@ingot/contracts/money'
import { expect, test } from 'vitest'
import { hourlyWithStorageMicro, returnsMicro, runCostMicro, runningRateMicro } from './instance-costs.ts'

const start = '2026-11-20T10:00:00.000Z'
const at = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000)
const instance = (changes: Partial<Instance> = {}): Instance => ({
  id: '01980000-0000-7000-8000-000000000001',
  user_id: '01980000-0000-7000-8000-000000000002',
  name: 'box',
  gpu_type: 'A40',
  gpu_count: 1,
  cpu_cores: 8,
  memory_gb: 48,
  storage_gb: 140,
  system_storage_gb: 40,
  data_storage_gb: 100,
  status: 'running',
  status_reason: null,
  status_message: null,
  region: 'US-East',
  hardware: 'simulated',
  shell: 'real',
  public_ip: null,
  billing_period: 'hourly',
  hourly_cost: '0.750000',
  prepaid_remaining: '0.750000',
  paid_until: null,
  template_id: null,
  template_name: 'Custom Template',
  network_volume_id: null,
  auto_shutdown_enabled: false,
  auto_shutdown_minutes: 60,
  auto_shutdown_at: null,
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
  expect(hourlyWithStorageMicro(instance(), 500)).toBe(parseUsd('0.805556'))
  expect(hourlyWithStorageMicro(instance({ hourly_cost: '0.600000' }), 500)).toBe(parseUsd('0.655556'))
  expect(hourlyWithStorageMicro(instance({ hourly_cost: '0.600000' }), 100)).toBe(parseUsd('0.6'))
})

test('the rate counts what runs outside a term', () => {
  const all = [
    instance(),
    instance({ status: 'stopped' }),
    instance({ paid_until: '2027-02-18T10:00:00.000Z' }),
  ]
  expect(runningRateMicro(all, at(0))).toBe(parseUsd('0.75'))
})
