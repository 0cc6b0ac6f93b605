import { useState } from 'react'

/** What differs from what the service has. */
export function changesOf<T extends object>(saved: T, edits: Partial<T>): Partial<T> {
  const changed = Object.entries(edits).filter(([key, value]) => saved[key as keyof T] !== value)
  return Object.fromEntries(changed) as Partial<T>
}

/** Edits on top of what the service has: fetching again brings news into the fields nobody has touched. */
export function useDraft<T extends object>(saved: T) {
  const [edits, setEdits] = useState<Partial<T>>({})
  const changes = changesOf(saved, edits)
  return {
    values: { ...saved, ...changes },
    changes,
    isChanged: Object.keys(changes).length > 0,
    edit: (edit: Partial<T>) => setEdits(before => ({ ...before, ...edit })),
    discard: () => setEdits({}),
  }
}
