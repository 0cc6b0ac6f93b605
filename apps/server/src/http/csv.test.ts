import { expect, test } from 'vitest'
import type { Bytes } from './bytes.ts'
import { csvFile } from './csv.ts'

type Row = readonly (string | number | null)[]

/** A file of one page, with a column for each letter. */
async function csv(head: string, ...rows: Row[]): Promise<string> {
  const columns = Object.fromEntries([...head].map((name, n) => [name, (row: Row) => row[n]!]))
  return (await chunksOf(csvFile('a.csv', columns, pagesOf(rows)))).join('')
}
async function chunksOf({ body }: Bytes): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of body as AsyncIterable<string>) chunks.push(chunk)
  return chunks
}
async function* pagesOf(...pages: Row[][]) {
  yield* pages
}

test('a comma, a quote or a line end is quoted', async () => {
  expect(await csv('ab', ['one, two', 'say "hi"'])).toBe('a,b\r\n"one, two","say ""hi"""\r\n')
  expect(await csv('a', ['two\r\nlines'])).toBe('a\r\n"two\r\nlines"\r\n')
})

test('amounts stay numbers, with every place and their sign', async () => {
  expect(await csv('a', ['-0.750000'], ['12.000001'], [12])).toBe('a\r\n-0.750000\r\n12.000001\r\n12\r\n')
})

test('no spreadsheet is handed a formula', async () => {
  const formulas = [
    '=HYPERLINK("x")',
    '@a',
    '-1+2',
    '+1',
    '\t=1',
    '\r=1',
    '-',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
  ]
  expect(await csv('n', ...formulas.map(text => [text]))).toBe(
    "n\r\n\"'=HYPERLINK(\"\"x\"\")\"\r\n'@a\r\n'-1+2\r\n'+1\r\n'\t=1\r\n\"'\r=1\"\r\n'-\r\n\"'\n=1\"\r\n'＝1\r\n'＋1\r\n'－1\r\n'＠a\r\n",
  )
})

test('nothing is written for what is not there', async () => {
  expect(await csv('ab', [null, 'x'])).toBe('a,b\r\n,x\r\n')
  expect(await csv('ab')).toBe('a,b\r\n')
})

test('a page without a line ends nothing', async () => {
  const file = csvFile('a.csv', { a: ([cell]: Row) => cell! }, pagesOf([['1']], [], [['2']]))
  expect(await chunksOf(file)).toEqual(['a\r\n1\r\n', '2\r\n'])
})
