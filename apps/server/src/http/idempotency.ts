/**
 * The store behind `Idempotency-Key`. The key is written first in the write's own transaction: a second request with it
 * waits for the first to end, then finds its answer. Same key and input: the same answer, nothing done again. Same key,
 * other input: refused. A write that failed left nothing behind, its key included, so it may be tried again.
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
  const input_hash = createHash('sha256')
    .update(JSON.stringify([write.operation, write.input]))
    .digest()
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
  if (!earlier.input_hash.equals(input_hash)) throw new IngotError('idempotency_key_reused')
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
