import { expect, test } from 'vitest'
import { withCtrl } from './touch-input.ts'

test.each([
  ['c', '\u0003'],
  ['C', '\u0003'],
  ['d', '\u0004'],
  ['[', '\u001B'],
  ['1', '1'],
  ['paste', 'paste'],
])('Ctrl and %j send %j', (key, sent) => expect(withCtrl(key)).toBe(sent))
