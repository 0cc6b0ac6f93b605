import type { Driver } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openRegions } from './regions.ts'

const simulated = createSimulatedDriver({ dir: null, now: Date.now })
const named = (name: string, hardware: 'real' | 'simulated' = 'simulated'): Driver => ({
  ...simulated,
  name,
  capabilities: { ...simulated.capabilities, hardware },
})
const names = ['US-East', 'EU-West', 'Asia-Pacific']
const engine = { INGOT_DRIVERS: 'docker=unix:///var/run/docker.sock' }
const open = (bound: string, drivers: readonly Driver[], rest: string | null) =>
  openRegions(
    readConfig({ ...engine, INGOT_REGIONS: bound }),
    new Map(drivers.map(driver => [driver.name, driver])),
    names,
    rest,
  ).map(({ driver, available, reason }) => (available ? driver : reason))

test('real cards are sold only in regions that are bound to them: a card is in one place', () => {
  const drivers = [simulated, named('sandbox', 'real')]
  const none = 'This region has no machines.'
  expect(open('', drivers, 'sandbox')).toEqual([none, none, none])
  expect(open('EU-West=sandbox', drivers, 'sandbox')).toEqual([none, 'sandbox', none])
  expect(open('EU-West=sandbox,*=simulated', drivers, 'sandbox')).toEqual([
    'simulated',
    'sandbox',
    'simulated',
  ])
})

test('others are served by what the first start found, or by what is bound to all of them', () => {
  const drivers = [simulated, named('sandbox')]
  expect(open('', drivers, 'sandbox')).toEqual(['sandbox', 'sandbox', 'sandbox'])
  expect(open('*=simulated', drivers, null)).toEqual(['simulated', 'simulated', 'simulated'])
})

test('a driver that does not run sells nothing, and without any driver there is no server', () => {
  expect(open('US-East=docker', [simulated], 'simulated')[0]).toMatch(/docker driver does not run/)
  expect(open('US-East=docker', [named('docker')], null)).toEqual([
    'docker',
    'This region has no machines.',
    'This region has no machines.',
  ])
  expect(() => open('*=docker', [], null)).toThrow(/no driver runs/)
})
