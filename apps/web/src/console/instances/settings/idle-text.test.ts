import type { Idleness } from '@ingot/contracts/instance/idle'
import { expect, test } from 'vitest'
import { amountText, cellsOver, snoozeUntil, stateText } from './idle-text.ts'
import { daysText, scheduleText } from './schedule-text.ts'

const idle: Idleness = {
  instance_id: 'a',
  auto_shutdown_enabled: true,
  auto_shutdown_minutes: 60,
  state: 'idle',
  signals: [],
  last_signal: null,
  idle_since: '2026-11-20T10:00:00.000Z',
  stops_at: '2026-11-20T11:00:00.000Z',
  snoozed_until: null,
}

test('a figure is told in its own unit', () => {
  expect(amountText({ signal: 'processor', amount: 0.5123, card: null })).toBe('0.51 processors')
  expect(amountText({ signal: 'cards', amount: 0.838, card: 1 })).toBe('card 2 at 84%')
  expect(amountText({ signal: 'terminal', amount: null, card: null })).toBeNull()
})

test('the twelve cells fill as its minutes go by, and no further', () => {
  expect(cellsOver(idle, new Date('2026-11-20T10:04:59.000Z'))).toBe(0)
  expect(cellsOver(idle, new Date('2026-11-20T10:30:00.000Z'))).toBe(6)
  expect(cellsOver(idle, new Date('2026-11-20T12:30:00.000Z'))).toBe(12)
  expect(cellsOver({ ...idle, idle_since: null }, new Date())).toBe(0)
})

test('what cannot be read is said to stop nothing', () => {
  expect(stateText({ ...idle, state: 'unknown' })).toContain('nothing stops it')
  expect(stateText({ ...idle, auto_shutdown_enabled: false, state: 'off' })).toContain('Auto-shutdown is off')
})

test('kept on for hours, or until nine of the reader’s tomorrow', () => {
  const now = new Date(2026, 10, 20, 23, 30)
  expect(snoozeUntil('hour', now)).toBe(new Date(2026, 10, 21, 0, 30).toISOString())
  expect(snoozeUntil('tomorrow', now)).toBe(new Date(2026, 10, 21, 9).toISOString())
})

test('days in a row are told by the first and the last', () => {
  expect(daysText([5, 4, 3, 2, 1])).toBe('Mon to Fri')
  expect(daysText([6, 7])).toBe('Sat, Sun')
  expect(daysText([1, 2, 3, 4, 5, 6, 7])).toBe('every day')
  expect(scheduleText({ action: 'stop', time: '20:00', weekdays: [1, 3] })).toBe('Stops at 20:00, Mon, Wed')
})
