import { describe, expect, test } from 'vitest'
import { page, readCursor, serial, time, timeOrInfinity, uuid } from './page.ts'

const id = '01980000-0000-7000-8000-0000000000ff'
const at = '2026-11-22T09:54:22.123Z'

describe('a page', () => {
  const cursorOf = (row: string) => ['after', row]

  test('of as many rows as there are is the last one', () => {
    expect(page(['a', 'b'], 2, cursorOf)).toEqual({ items: ['a', 'b'], next_cursor: null })
    expect(page([], 2, cursorOf)).toEqual({ items: [], next_cursor: null })
  })

  test('leaves out the row that tells of another page, and names its own last one', () => {
    expect(page(['a', 'b', 'c'], 2, cursorOf)).toEqual({ items: ['a', 'b'], next_cursor: 'after|b' })
  })
})

describe('a cursor', () => {
  test.each([
    ['an id', [uuid], [id], id],
    ['a time and an id', [time, uuid], [at, id], `${at}|${id}`],
    ['infinity and an id', [timeOrInfinity, uuid], ['infinity', id], `infinity|${id}`],
    ['a time where infinity may stand', [timeOrInfinity, uuid], [at, id], `${at}|${id}`],
    ['a number', [serial], [42n], '42'],
  ])('of %s is read as it was written', (_, forms, parts, text) => {
    expect(page([1, 2], 1, () => parts).next_cursor).toBe(text)
    expect(readCursor(text, forms)).toEqual(parts.map(String))
  })

  test('that is absent begins the list', () => expect(readCursor(undefined, [uuid])).toBeNull())

  test.each([
    ['an empty one', '', [uuid]],
    ['text', 'first', [uuid]],
    ['an id of hyphens alone', '-'.repeat(36), [uuid]],
    ['a day that no month has', `2026-02-30T09:54:22.123Z|${id}`, [time, uuid]],
    ['an id in capitals', id.toUpperCase(), [uuid]],
    ['an id and a line break', `${id}\n`, [uuid]],
    ['an id after a blank', ` ${id}`, [uuid]],
    ['a part too few', id, [uuid, uuid]],
    ['a part too many', `${id}|${id}`, [uuid]],
    ['parts in another order', `${id}|${at}`, [time, uuid]],
    ['a time without milliseconds', `2026-11-22T09:54:22Z|${id}`, [time, uuid]],
    ['infinity where a time is meant', `infinity|${id}`, [time, uuid]],
    ['more than infinity', `infinity and on|${id}`, [timeOrInfinity, uuid]],
    ['infinity after something', `to infinity|${id}`, [timeOrInfinity, uuid]],
    ['a number too long for a bigint', '9'.repeat(19), [serial]],
    ['a number below 0', '-1', [serial]],
  ])('%s is refused', (_, text, forms) =>
    expect(() => readCursor(text, forms)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        fields: { cursor: 'is not a cursor of this list' },
      }),
    ),
  )
})
