import { expect, it } from 'vitest'
import { answerProof, askForProof } from './proof.ts'

it('calls that are refused together wait for one answer, and the next asks anew', async () => {
  const [first, second] = [askForProof(), askForProof()]
  answerProof(true)
  expect(await Promise.all([first, second])).toEqual([true, true])
  const third = askForProof()
  answerProof(false)
  expect(await third).toBe(false)
})
