import { describe, expect, test } from 'vitest'
import { readAllTests, readTests } from './test-titles.ts'

const read = (text: string) => readTests('a.test.ts', text)
const titles = (text: string) => read(text).map(each => each.title)
const offWord = (text: string) => read(text).find(each => each.title.endsWith('held'))?.off

describe('a title', () => {
  test('is that of the test behind those of all groups around it', () => {
    const text = `describe('a', () => { describe.each([1])('b %s', () => { it('c', () => {}) }); test('d', () => {}) })
      test('e', async () => {})`
    expect(titles(text)).toEqual(['a > b %s > c', 'a > d', 'e'])
  })
  test('is read as it is written, in loops, tables and templates too', () => {
    const text = `for (const x of all) describe(\`by \${x}\`, { timeout: 1 }, () => {
      it.each\`n\${1}\`('%s', () => {})
      it.skipIf(!here).for([1])('is so', () => {})
      test(names[0], () => {})
    })`
    expect(titles(text)).toEqual(['by ${x} > %s', 'by ${x} > is so', 'by ${x} > ${names[0]}'])
  })
  test('is not that of a step, a hook, or a call of another', () => {
    const text = `test('a', async () => { await test.step('b', async () => {}); describe; audit('c', () => {}) })
      test.beforeEach(async () => {}); test.use({}); other.test('d', () => {})`
    expect(titles(text)).toEqual(['a'])
  })
})

describe('a test is switched off in the source', () => {
  test.each([
    ['skip', `test.skip('held', () => {})`],
    ['todo', `test.todo('held')`],
    ['fails', `it.fails('held', () => {})`],
    ['fixme', `test.fixme('held', async () => {})`],
    ['no body', `test('held')`],
    ['skip', `describe.skip('a', () => { test('held', () => {}) })`],
    ['skip', `describe.skip('a', () => { describe('b', () => { test.each([1])('held', () => {}) }) })`],
    ['skip', `test.describe.skip('a', () => { test('held', () => {}) })`],
    ['skipIf', `describe.skipIf(true)('a', () => { test('held', () => {}) })`],
    ['runIf', `test.runIf(!1)('held', () => {})`],
    ['skip', `test('held', { skip: true }, () => {})`],
    ['skip', `test('held', context => { context.skip('later'); expect(1).toBe(1) })`],
    ['skip', `test('held', async () => { test.skip(); })`],
    ['skip', `test.skip(true, 'later')\ntest('held', async () => {})`],
    ['skip', `test.describe('a', () => { test.skip(); test('held', async () => {}) })`],
    ['if', `if (false) test('held', () => {})`],
    ['only', `test.only('other', () => {})\ntest('held', () => {})`],
  ])('by %s: %s', (word, text) => expect(offWord(text)).toBe(word))

  test('by a comment: there is no such test', () => {
    expect(titles(`// test('held', () => {})\n/* test('held', () => {}) */`)).toEqual([])
  })
  test.each([
    `test('held', () => {})`,
    `test.skipIf(!isRoot)('held', () => {})`,
    `describe.runIf(process.env.CI)('a', () => { test('held', () => {}) })`,
    `test('held', { skip: !process.env.CI }, () => {})`,
    `test('held', context => { if (!isRoot) context.skip('needs root') })`,
    `test('held', async ({ browserName }) => { test.skip(browserName === 'x', 'lacks it') })`,
    `test.concurrent('held', { timeout: 1 }, async () => {})`,
    `test('held', run)`,
  ])('not by what this machine lacks, nor by nothing: %s', text => expect(offWord(text)).toBeNull())
})

test('every test of the repository is read, those of rooms that tests import too', () => {
  const all = readAllTests()
  expect(all.length).toBeGreaterThan(1200)
  expect(all.map(each => each.title)).toContain(
    'a title > is that of the test behind those of all groups around it',
  )
  expect(new Set(all.map(each => each.path.split('/')[0]))).toEqual(
    new Set(['apps', 'e2e', 'packages', 'tools']),
  )
  expect(all.some(each => each.path.startsWith('packages/compute/src/conformance/'))).toBe(true)
})
