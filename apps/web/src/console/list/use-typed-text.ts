import { useEffect, useEffectEvent, useRef, useState } from 'react'

/** Shorter than the time between two keys of most people. */
const pauseMs = 100

/**
 * Text of an input whose home is the address. Keys show at once; the address follows the first key at once and the rest
 * when the typing pauses, because browsers refuse many changes of it in a row, such as of a key that is held down. When the address changes by itself (Back, a link, Clear)
 * the input follows the address.
 */
export function useTypedText(home: string, commit: (text: string) => void) {
  const [text, setText] = useState(home)
  const [lastHome, setLastHome] = useState(home)
  const [pending, setPending] = useState<string | null>(null)
  if (home !== lastHome) {
    setLastHome(home)
    if (pending === null) setText(home)
  }

  /** Now, without waiting: on Enter, on leaving the field. */
  const flush = () => {
    if (pending === null) return
    setPending(null)
    if (pending !== home) commit(pending)
  }
  const afterPause = useEffectEvent(flush)
  useEffect(() => {
    if (pending === null) return
    const timer = setTimeout(() => afterPause(), pauseMs)
    return () => clearTimeout(timer)
  }, [pending])

  const typedAt = useRef(Number.NEGATIVE_INFINITY)
  const onType = (value: string) => {
    setText(value)
    const now = performance.now()
    const isFirst = pending === null && now - typedAt.current > pauseMs
    typedAt.current = now
    if (isFirst && value !== home) commit(value)
    else setPending(value)
  }
  return { text, onType, flush }
}
