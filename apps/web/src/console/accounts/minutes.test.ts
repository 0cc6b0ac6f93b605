import { expect, it } from 'vitest'
import { minutesProblem, readMinutes } from './minutes.ts'

it.each([
  ['90', 90],
  [' 5 ', 5],
  ['', 60],
  ['soon', 60],
  ['12.9', 12],
])('%j is %d', (text, minutes) => expect(readMinutes(text)).toBe(minutes))

it('takes 5 to 480', () => {
  expect([4, 5, 480, 481].map(minutes => minutesProblem(minutes) === null)).toEqual([
    false,
    true,
    true,
    false,
  ])
})
