/**
 * Work that may take long, one piece at a time for each volume or snapshot. Whoever asks waits a moment and is then told
 * "not yet", while the work goes on; asked again for the same it is the same piece, and an answer of failure is
 * kept until somebody has heard it.
 */
import { type Answer, notYet } from '../../driver.ts'
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 2_000
const retryMs = 250
/** An answer that nobody asks for any more. */
const forgottenMs = 10 * 60_000

export type Jobs = ReturnType<typeof createJobs>

export function createJobs(failedAs: (what: string, error: unknown) => Answer<never>) {
  const underway = new Map<
    string,
    { readonly name: string; readonly answer: Promise<Answer<unknown>>; isOver: boolean }
  >()

  return {
    isBusy: (ref: string): boolean => underway.get(ref)?.isOver === false,

    async do<T>(ref: string, name: string, act: () => Promise<Answer<T>>): Promise<Answer<T>> {
      const known = underway.get(ref)
      if (known && known.name !== name && !known.isOver) return notYet(retryMs)
      let job = known?.name === name ? known : undefined
      if (!job) {
        const begun = { name, isOver: false, answer: keep(act()) }
        async function keep(work: Promise<Answer<T>>): Promise<Answer<T>> {
          const answer = await work.catch((error: unknown) => failedAs(`${ref}: ${name}`, error))
          begun.isOver = true
          const forget = () => underway.get(ref) === begun && underway.delete(ref)
          // What was done is there to be seen.
          if (answer.kind === 'failed') setTimeout(forget, forgottenMs).unref()
          else forget()
          return answer
        }
        underway.set(ref, begun)
        job = begun
      }
      const answer = await Promise.race([job.answer, sleep(patienceMs, null, { ref: false })])
      if (answer === null) return notYet(retryMs)
      if (underway.get(ref) === job) underway.delete(ref)
      return answer as Answer<T>
    },

    /** What is underway has ended. */
    async settled(): Promise<void> {
      await Promise.all([...underway.values()].map(({ answer }) => answer))
    },
  }
}
