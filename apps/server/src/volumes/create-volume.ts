/**
 * A new volume: the price that was shown is checked, its first month is paid and set aside, and the loop makes it. The
 * month begins when it is available; one that can't be made returns all of it.
 */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { FactType } from '@ingot/contracts/events'
import { sql } from 'kysely'
import { whyNoPlace } from '../catalog/places.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { lockWallet } from '../ledger/ledger.ts'
import { chargeMonth } from '../ledger/months.ts'
import { type SaleNeeds, storeForSale } from './stores.ts'

export interface CreateNeeds extends SaleNeeds {
  readonly clock: Clock
}

export interface NewVolume {
  readonly name: string
  readonly size_gb: number
  readonly region: string
  readonly quoted_total?: string
}

export async function createVolume(
  tx: Tx,
  needs: CreateNeeds,
  userId: string,
  input: NewVolume,
): Promise<string> {
  const { region } = await storeForSale(tx, needs, input.region)
  await lockWallet(tx, userId)
  return insertVolume(tx, needs, userId, { ...input, driver: region.driver, host_id: null }, 'volume.created')
}

export interface PlacedVolume extends NewVolume {
  readonly driver: string
  /** Null: wherever there is room. */
  readonly host_id: bigint | null
  /** The snapshot that it is to hold. */
  readonly restored_from?: string
}

/** The wallet's lock is held. */
export async function insertVolume(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  { size_gb, region, driver, quoted_total, restored_from, ...input }: PlacedVolume,
  fact: FactType,
): Promise<string> {
  const at = clock.iso()
  const month = volumeMonthMicro(size_gb)
  assertQuote(quoted_total, month)
  const id = newId()
  const name = input.name.trim()
  await chargeMonth(
    tx,
    { userId, id, kind: 'volume', label: name, month, description: `${name}: first month, ${size_gb} GB` },
    at,
  )
  // The host's row is the last that is locked.
  const host_id = await withRoom(
    region,
    async () => input.host_id ?? (await hostForDisk(tx, driver, size_gb)),
  )
  await withRoom(region, () =>
    tx
      .insertInto('network_volumes')
      .values({
        id,
        user_id: userId,
        name,
        size_gb,
        region,
        driver,
        host_id,
        month_micro: month,
        restored_from: restored_from ?? null,
        created_at: at,
        updated_at: at,
        due_at: at,
      })
      .execute(),
  )
  await appendEvent(
    tx,
    {
      userId,
      type: fact,
      subjectId: id,
      at,
      data: { name, charged: formatUsd(month), message: `${size_gb} GB in ${region}` },
    },
    { userId, type: 'wallet.updated', at },
  )
  return id
}

async function hostForDisk(tx: Tx, driver: string, gb: number): Promise<bigint> {
  const { rows } = await sql<{ host: bigint }>`select host_for_disk(${driver}, ${gb}) as host`.execute(tx)
  return rows[0]!.host
}

/** Says that a disk found no room: the host's count refused it. */
export async function withRoom<T>(region: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = whyNoPlace(error)
    if (reason === null) throw error
    if (reason === 'cordoned')
      throw new IngotError('no_capacity', {
        message: 'The host that it would be kept on is being maintained right now. Nothing was charged.',
      })
    throw new IngotError('no_capacity', {
      message: `No host in ${region} has room for a disk of this size right now. Nothing was charged.`,
    })
  }
}

/** Nobody is charged other than what was shown. */
export function assertQuote(shown: string | undefined, now: Micro): void {
  if (shown === undefined || shown === formatUsd(now)) return
  throw new IngotError('price_changed', { fields: { quoted_total: `is now ${formatUsd(now)}` } })
}
