import { expect, it } from 'vitest'
import { movedTab, pathOf, tabOf } from './instance-tabs.ts'

it('each tab has an address, and an address of before leads to its tab', () => {
  expect(tabOf('/console/instances/1')).toBe('overview')
  expect(tabOf('/console/instances/1/terminal/')).toBe('terminal')
  expect(pathOf('overview')).toBe('/console/instances/$id')
  expect(pathOf('logs')).toBe('/console/instances/$id/logs')
  expect(movedTab('overview', { tab: 'logs' })).toBe('logs')
  expect(movedTab('overview', { range: 'day' })).toBe('metrics')
  expect(movedTab('overview', { tab: 'overview' })).toBeNull()
  expect(movedTab('logs', { tab: 'events' })).toBeNull()
})
