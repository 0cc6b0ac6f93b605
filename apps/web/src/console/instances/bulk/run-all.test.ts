import { expect, it } from 'vitest'
import { runAll } from './run-all.ts'

it('does all of them in order, never more than so many at once', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  let now = 0
  let most = 0
  await runAll([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    begun.push(item)
    most = Math.max(most, ++now)
    await new Promise(resolve => setTimeout(resolve))
    now--
    ended.push(item)
  })
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(ended).toHaveLength(7)
  expect(most).toBe(3)
  await runAll([], 3, () => Promise.reject(new Error('never called')))
})
