/** Whose files are asked for, and the driver's or the store's calls on them. */
import type { Driver, MachineFiles, Ref } from '@ingot/compute/driver'
import type { StoringDriver } from '@ingot/compute/volumes'
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

/** The files of what is this user's, as if nothing else were there. A volume whose month is not paid is only read. */
export async function openFiles(
  db: Db,
  { regions }: HolderNeeds,
  userId: string,
  { instance_id, volume_id }: Holder,
  use: 'read' | 'change',
): Promise<MachineFiles> {
  const { rows } = await sql<{ driver: string; driver_ref: string | null; is_lapsed: boolean }>`
    select driver, driver_ref, false as is_lapsed from gpu_instances
    where id = ${instance_id} and user_id = ${userId} and status <> 'terminated' and desired <> 'deleted'
    union all
    select driver, driver_ref, lapsed_at is not null from network_volumes
    where id = ${volume_id} and user_id = ${userId} and status <> 'deleting'`.execute(db)
  const row = rows[0]
  if (!row) throw new IngotError('not_found')
  if (row.driver_ref === null)
    throw new IngotError('invalid_state', {
      message:
        instance_id !== null
          ? 'It has no disk yet: it gets one when it starts for the first time.'
          : 'It has no disk yet: it is being made.',
    })
  if (row.is_lapsed && use === 'change')
    throw new IngotError('invalid_state', {
      message: 'The month of this volume is not paid, so its files can be read and not changed.',
    })
  const driver = regions.find(region => region.compute.name === row.driver)?.compute
  if (!driver)
    throw new IngotError('unavailable', {
      message: `The ${row.driver} driver is not available on this machine now.`,
    })
  return instance_id === null ? filesOfVolume(driver, row.driver_ref) : driver.files(row.driver_ref)
}

function filesOfVolume(driver: Driver, ref: Ref): MachineFiles {
  if (!('volumes' in driver))
    throw new IngotError('unavailable', { message: `The ${driver.name} driver keeps no volumes now.` })
  return (driver as StoringDriver).volumes.files(ref)
}
