/**
 * What money and roles ask of whoever is signed in: to show once more that it is them. A call that is refused for it waits
 * here until the dialog of the frame has been answered, and is made again; the form that made it knows nothing of it.
 */
import { useSyncExternalStore } from 'react'

let asked: { readonly answered: Promise<boolean>; readonly answer: (given: boolean) => void } | null = null
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** False: they would not. Calls that are refused meanwhile wait for the same answer. */
export function askForProof(): Promise<boolean> {
  if (!asked) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    asked = { answered: promise, answer: resolve }
    tell()
  }
  return asked.answered
}

export function answerProof(given: boolean): void {
  asked?.answer(given)
  asked = null
  tell()
}

export const useProofAsked = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked !== null,
  )
