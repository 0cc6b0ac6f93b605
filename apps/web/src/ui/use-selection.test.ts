import { expect, it } from 'vitest'
import { flipped, flippedAll, rangeOf } from './use-selection.ts'

const keys = ['a', 'b', 'c', 'd']

it('takes a range in either direction, and one row where its beginning is not shown', () => {
  expect(rangeOf(keys, 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(rangeOf(keys, 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(rangeOf(keys, 'c', 'c')).toEqual(['c'])
  expect(rangeOf(keys, 'gone', 'c')).toEqual(['c'])
  expect(rangeOf(keys, 'c', 'gone')).toEqual([])
})

it('flips one row and all that are shown, and keeps what is not shown', () => {
  expect([...flipped(new Set(['x']), 'a')]).toEqual(['x', 'a'])
  expect([...flipped(new Set(['x', 'a']), 'a')]).toEqual(['x'])
  expect([...flippedAll(new Set(['x', 'a']), ['a', 'b'])]).toEqual(['x', 'a', 'b'])
  expect([...flippedAll(new Set(['x', 'a', 'b']), ['a', 'b'])]).toEqual(['x'])
})
