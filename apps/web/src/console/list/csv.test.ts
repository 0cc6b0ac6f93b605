import { expect, it } from 'vitest'
import { toCsv } from './csv.ts'

it('quotes what holds a comma, a quote or a line end', () => {
  expect(toCsv(['a', 'b'], [['one, two', 'say "hi"']])).toBe('a,b\r\n"one, two","say ""hi"""\r\n')
})

it('keeps amounts as numbers', () => {
  expect(toCsv(['amount'], [['-0.750000'], [12]])).toBe('amount\r\n-0.750000\r\n12\r\n')
})

it('never hands a spreadsheet a formula', () => {
  expect(toCsv(['name'], [['=HYPERLINK("x")'], ['@a'], ['-1+2']])).toBe(
    'name\r\n"\'=HYPERLINK(""x"")"\r\n\'@a\r\n\'-1+2\r\n',
  )
})

it('writes nothing for what is not there', () => {
  expect(toCsv(['a', 'b'], [[null, 'x']])).toBe('a,b\r\n,x\r\n')
})
