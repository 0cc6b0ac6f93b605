import { expect, it } from 'vitest'
import { createThrottle } from './refresh-throttle.ts'

function setUp() {
  const answers: PromiseWithResolvers<void>[] = []
  const clock = { ms: 0 }
  const refresh = createThrottle(
    () => {
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    },
    3000,
    () => clock.ms,
  )
  return { answers, clock, refresh }
}

it('has one request in flight, however long it takes', () => {
  const { answers, clock, refresh } = setUp()
  void refresh()
  clock.ms = 10_000
  void refresh()
  expect(answers).toHaveLength(1)
})

it('asks again after three seconds, also when the last one failed', async () => {
  const { answers, clock, refresh } = setUp()
  const first = refresh()
  answers[0]!.reject(new Error('offline'))
  await expect(first).rejects.toThrow('offline')
  clock.ms = 2999
  void refresh()
  expect(answers).toHaveLength(1)
  clock.ms = 3000
  void refresh()
  expect(answers).toHaveLength(2)
})
