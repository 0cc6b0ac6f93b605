import { expect, test } from 'vitest'
import { between, waitText } from './ticket-text.ts'

test.each([
  [0, '0 s'],
  [4, '4 s'],
  [60, '1 min'],
  [4_080, '1 h 8 min'],
  [7_200, '2 h'],
  [90_000, '1 d 1 h'],
  [172_800, '2 d'],
])('%i seconds are %s', (seconds, words) => {
  const from = '2026-11-24T07:58:00.000Z'
  expect(between(from, new Date(Date.parse(from) + seconds * 1000).toISOString())).toBe(words)
})

test.each([
  [null, null, null],
  ['08:00 to 20:00 UTC', null, 'A person answers 08:00 to 20:00 UTC.'],
  [null, 65, 'A person answers half of the time within a minute.'],
  [null, 3_500, 'A person answers half of the time within about an hour.'],
  ['8 to 20', 7_300, 'A person answers 8 to 20, half of the time within about 2 hours.'],
  [null, 100_000, 'A person answers half of the time within about a day.'],
])('hours %s and a median of %s s: %s', (hours, first_person_seconds, words) => {
  expect(waitText({ hours, first_person_seconds })).toBe(words)
})
