import { expect, it } from 'vitest'
import { createLineReader, plainText } from './log-lines.ts'

it('lines are read wherever they are cut, and empty ones are none', () => {
  const read = createLineReader()
  const line = '{"at":"2026-11-24T09:00:00.000Z","stream":"stdout","text":"a\\nb"}'
  expect(read(`\n${line.slice(0, 20)}`)).toEqual([])
  expect(read(`${line.slice(20)}\n\n${line}\n{`).map(({ text }) => text)).toEqual(['a\nb', 'a\nb'])
})

it('colours, titles and controls of a terminal are left out', () => {
  expect(plainText('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\r\u202ey\ttab')).toBe('red xy\ttab')
})
