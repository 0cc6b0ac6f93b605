/** Cards that a host has told of and nothing sells get a name, a size and a price. They are sold from the next look at their host on. */
import type { PricedRow } from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { NewPrice } from './new-price.ts'
import { setPrice } from './set-price.ts'

interface CardWish extends NewPrice {
  readonly model: string
  readonly name: string
  readonly vcpus: number
  readonly ram_gb: number
  readonly reason: string
}

export async function sellCards(tx: Tx, wish: CardWish, at: string): Promise<PricedRow> {
  const { model, name, vcpus, ram_gb, ...price } = wish
  const { rows } = await sql<{ memory_gb: number }>`
    select greatest(1, (max(memory_bytes) / 1073741824)::int) as memory_gb from card
    where gpu_type is null and is_there and model = ${model} having count(*) > 0`.execute(tx)
  if (!rows[0]) throw new IngotError('not_found', { message: 'No host has such cards without a price' })
  const pattern = `^${model.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`
  const { numAffectedRows } = await sql`
    insert into gpu_type (name, patterns, memory_gb, vcpus, ram_gb, position)
    select ${name}, array[${pattern}], ${rows[0].memory_gb}, ${vcpus}, ${ram_gb}, 1 + coalesce(max(position), 0) from gpu_type
    on conflict (name) do nothing`.execute(tx)
  if (!numAffectedRows)
    throw new IngotError('invalid_state', { message: 'A GPU of this name is sold already: choose another' })
  return setPrice(tx, { ...price, gpu_type: name }, at)
}
