import { expect, test } from 'vitest'
import { fieldText, proposedTime, readDrainTime } from './drain-time.ts'

const now = new Date('2026-11-26T04:20:00.000Z')

test('a full hour a day ahead is proposed, and read back as it was written', () => {
  const at = proposedTime(now)
  expect(at.toISOString()).toBe('2026-11-27T05:00:00.000Z')
  expect(readDrainTime(fieldText(at), now)).toEqual({ at, error: null, isShort: false })
})

test.each([
  ['2026-11-26T05:19', true, null],
  ['2026-11-26T05:20', false, null],
  ['2026-11-01T00:00', true, null],
  ['2027-03-01T00:00', false, 'At most 90 days ahead'],
  ['', false, 'Give a day and a time'],
  ['2026-13-01T00:00', false, 'Give a day and a time'],
])('%s', (text, isShort, error) => {
  expect(readDrainTime(text, now)).toMatchObject({ isShort, error })
})
