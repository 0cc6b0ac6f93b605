import { useRef } from 'react'

/**
 * A key for what is sent, the same for the same input: a second press after a cut connection can't buy twice.
 */
export function useSameKey(): (input: object) => { readonly idempotencyKey: string } {
  const sent = useRef<{ readonly text: string; readonly key: string } | null>(null)
  return input => {
    const text = JSON.stringify(input)
    if (sent.current?.text !== text) sent.current = { text, key: crypto.randomUUID() }
    return { idempotencyKey: sent.current.key }
  }
}
