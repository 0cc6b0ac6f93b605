/** What a new instance is made of, as the transaction of its deploy sees it: on sale now, at the price in force now. */
import type { ListedGpu } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import type { Tx } from '../db/database.ts'
import { findGpu, isRegionOnSale, regionOffSale } from './queries.ts'
import type { Region } from './regions.ts'

/** The GPU with its price at `at`. One that was sold once is `hardware_not_offered`; its name may stand in a clone. */
export async function gpuForSale(tx: Tx, name: string, at: string): Promise<ListedGpu> {
  const found = await findGpu(tx, name, at)
  if (!found) throw unknown('gpu_type', 'there is no such GPU: see GET /v1/gpus')
  if (!found.isOnSale) throw notOffered('gpu_type', `${name} is not on sale any more.`)
  return found.gpu
}

/** The region a new instance may be placed in. */
export async function regionForSale(tx: Tx, regions: readonly Region[], id: string): Promise<Region> {
  const region = regions.find(candidate => candidate.id === id)
  if (!region) throw unknown('region', 'there is no such region: see GET /v1/regions')
  if (region.reason !== null) throw notOffered('region', region.reason)
  if (!(await isRegionOnSale(tx, id))) throw notOffered('region', regionOffSale)
  return region
}

const unknown = (field: string, what: string) =>
  new IngotError('validation_failed', { fields: { [field]: what } })

const notOffered = (field: string, message: string) =>
  new IngotError('hardware_not_offered', {
    message: `${message} Nothing was charged.`,
    fields: { [field]: message },
  })
