/**
 * The store behind `Idempotency-Key`. The key is written first in the write's own transaction: a second request with it
 * waits for the first to end, then finds its answer. Same key and input: the same answer, nothing done again. Same key,
 * other input: refused. A key is known for 30 days (product/retention). A write that failed left nothing behind, its key included, so it may be tried again.
 */
import { createHash } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import type { Tx } from '../db/database.ts'

export interface StoredAnswer {
  readonly status: number
  readonly response: unknown
}

export interface KeyedWrite {
  readonly caller: string
  readonly key: string
  readonly operation: string
  readonly input: unknown
}

export const maxKeyLength = 200

/** Takes the key, or returns what the write answered before. */
export async function takeKey(tx: Tx, write: KeyedWrite): Promise<StoredAnswer | null> {
  const input_hash = hashOf([write.operation, inOneOrder(write.input)])
  const taken = await tx
    .insertInto('idempotency')
    .values({ caller: write.caller, key: write.key, operation: write.operation, input_hash })
    .onConflict(conflict => conflict.columns(['caller', 'key']).doNothing())
    .executeTakeFirst()
  if (taken.numInsertedOrUpdatedRows) return null

  const earlier = await tx
    .selectFrom('idempotency')
    .select(['input_hash', 'status', 'response'])
    .where('caller', '=', write.caller)
    .where('key', '=', write.key)
    .executeTakeFirstOrThrow()
  // Keys taken before fields were put in one order hold the hash of the order that they were sent in.
  const asSent = hashOf([write.operation, write.input])
  if (!earlier.input_hash.equals(input_hash) && !earlier.input_hash.equals(asSent))
    throw new IngotError('idempotency_key_reused')
  return { status: earlier.status!, response: earlier.response }
}

export async function keepAnswer(tx: Tx, write: KeyedWrite, answer: StoredAnswer): Promise<void> {
  await tx
    .updateTable('idempotency')
    .set({ status: answer.status, response: JSON.stringify(answer.response) })
    .where('caller', '=', write.caller)
    .where('key', '=', write.key)
    .execute()
}

const hashOf = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest()

/** The same JSON with the fields of every object sorted: an object has no order that a client could mean. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, inner]) => [name, inOneOrder(inner)]))
}
