/** Whose files are asked for, and the driver's or the store's calls on them. */
import type { Driver, MachineFiles, Ref } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Region } from '../catalog/regions.ts'
import type { Db } from '../db/database.ts'

/** An instance or a volume: exactly one of them is set. */
export interface Holder {
  readonly instance_id: string | null
  readonly volume_id: string | null
}
export type HolderKind = 'instances' | 'volumes'
export const holderOf = (kind: HolderKind, id: string): Holder => ({
  instance_id: kind === 'instances' ? id : null,
  volume_id: kind === 'volumes' ? id : null,
})

export interface HolderNeeds {
  readonly regions: readonly Region[]
}

/** The files of what is this user's, as if nothing else were there. */
export async function openFiles(
  db: Db,
  { regions }: HolderNeeds,
  userId: string,
  { instance_id, volume_id }: Holder,
): Promise<MachineFiles> {
  const { rows } = await sql<{ driver: string; driver_ref: string | null }>`
    select driver, driver_ref from gpu_instances
    where id = ${instance_id} and user_id = ${userId} and status <> 'terminated' and desired <> 'deleted'
    union all
    select driver, driver_ref from network_volumes
    where id = ${volume_id} and user_id = ${userId} and status <> 'deleting'`.execute(db)
  const row = rows[0]
  if (!row) throw new IngotError('not_found')
  if (row.driver_ref === null) throw new IngotError('invalid_state', { message: 'It has no disk yet.' })
  const driver = regions.find(region => region.compute.name === row.driver)?.compute
  if (!driver)
    throw new IngotError('unavailable', {
      message: `The ${row.driver} driver is not available on this machine now.`,
    })
  return instance_id === null ? filesOfVolume(driver, row.driver_ref) : driver.files(row.driver_ref)
}

/** A store of volumes that can open them without a machine. */
interface Opening {
  readonly volumes?: { files?(ref: Ref): MachineFiles }
}

function filesOfVolume(driver: Driver & Opening, ref: Ref): MachineFiles {
  const files = driver.volumes?.files?.(ref)
  if (!files)
    throw new IngotError('invalid_state', {
      message: `The ${driver.name} driver opens no volume without an instance.`,
    })
  return files
}
