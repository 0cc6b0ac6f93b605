import { createHash, randomUUIDv7 } from 'node:crypto'

/** A new id that sorts by time of making: index inserts stay at the right edge. */
export const newId = (): string => randomUUIDv7()

/**
 * The same parts always give the same id (RFC 9562 version 8 over SHA-256): idempotency keys of things that happen
 * once.
 */
export function idOf(...parts: readonly (string | number | bigint)[]): string {
  const hash = createHash('sha256').update(parts.join('\u001f')).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
