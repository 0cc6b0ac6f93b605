import { useEffect, useState } from 'react'

const pauseMs = 250

/** What a text has been for a moment: the service is not asked about every letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
