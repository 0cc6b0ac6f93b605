import { useEffect, useEffectEvent, useState } from 'react'

const pauseMs = 250

/**
 * Text of an input whose home is the address. Keys show at once; the address follows when the typing pauses, because
 * browsers refuse more than a few changes of it per second. When the address changes by itself (Back, a link, Clear)
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

  const onType = (value: string) => {
    setText(value)
    setPending(value)
  }
  return { text, onType, flush }
}
