import { useEffect, useRef, useState } from 'react'

const shownMs = 2000

export type CopyState = 'idle' | 'copied' | 'failed'

/** Copies to the clipboard and answers whether it did; the state falls back to idle two seconds later. */
export function useCopy(): [state: CopyState, copy: (text: string) => Promise<boolean>] {
  const [state, setState] = useState<CopyState>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async (text: string) => {
    // The clipboard is refused outside a secure page and without permission.
    const done =
      (await navigator.clipboard?.writeText(text).then(
        () => true,
        () => false,
      )) ?? false
    setState(done ? 'copied' : 'failed')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setState('idle'), shownMs)
    return done
  }
  return [state, copy]
}
