/**
 * Attach and detach. What is stopped only notes it: its next start mounts it. What runs is asked at once where its store
 * can do that, outside of any transaction: a kill between leaves a note, and the loop of volumes makes it so.
 */
import { IngotError } from '@ingot/contracts/errors'
import { mountNameOf } from '@ingot/compute/volume-mount'
import type { Answer } from '@ingot/compute/driver'
import type { Clock } from '../../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { assertVolume, lockHolder, lockVolume, type VolumeRow } from '../../volumes/queries.ts'
import { storeOf, type StoreNeeds } from '../../volumes/stores.ts'
import { withRoom } from '../../volumes/create-volume.ts'
import { mountOf } from '../../volumes/work.ts'
import { type InstanceRow, lockInstance } from '../queries.ts'

export interface AttachNeeds extends StoreNeeds {
  readonly clock: Clock
  readonly database: Database
}

const refused = (message: string) => new IngotError('invalid_state', { message })

export async function attachVolume(
  needs: AttachNeeds,
  userId: string,
  id: string,
  instanceId: string,
): Promise<void> {
  const { database } = needs
  const { volume, instance } = await inTransaction(database.kysely, tx =>
    link(tx, needs, userId, id, instanceId),
  )
  if (instance.status !== 'running') return
  const answer = await storeOf(needs, volume.driver).attach(instance.driver_ref!, mountOf(volume))
  // Not yet: it is linked, and the loop goes on.
  if (answer.kind !== 'failed' || answer.failure === 'transient') return
  await inTransaction(database.kysely, tx => unlink(tx, needs, userId, id, instanceId, null))
  throw refused(answer.message)
}

async function link(tx: Tx, needs: AttachNeeds, userId: string, id: string, instanceId: string) {
  const { clock } = needs
  await assertVolume(tx, userId, id)
  await lockWallet(tx, userId)
  const instance = await lockInstance(tx, userId, instanceId).catch(error => {
    if (error instanceof IngotError && error.code === 'not_found')
      throw new IngotError('validation_failed', { fields: { instance_id: 'is no instance of yours' } })
    throw error
  })
  const volume = await lockVolume(tx, userId, id)
  if (instance.network_volume_id === id) return { volume, instance }
  const reason = whyNotAttached(needs, volume, instance, await isHeld(tx, id))
  if (reason) throw refused(reason)
  const at = clock.iso()
  // Its disk will be where the volume is.
  await withRoom(instance.region, () =>
    tx
      .updateTable('gpu_instances')
      .set({ network_volume_id: id, host_id: instance.host_id ?? volume.host_id, updated_at: at })
      .where('id', '=', instanceId)
      .execute(),
  )
  await changed(tx, volume, 'volume.attached', instance, at)
  return { volume, instance }
}

const isHeld = async (tx: Tx, id: string) =>
  (await tx
    .selectFrom('gpu_instances')
    .select('id')
    .where('network_volume_id', '=', id)
    .executeTakeFirst()) !== undefined

function whyNotAttached(
  needs: AttachNeeds,
  volume: VolumeRow,
  instance: InstanceRow,
  held: boolean,
): string | null {
  if (volume.status === 'creating') return 'The volume is being made. Attach it when it is available.'
  if (volume.status === 'deleting') return 'The volume is being deleted.'
  if (held) return 'The volume is attached to an instance already. Detach it first.'
  if (volume.lapsed_at !== null) return 'The month of this volume is not paid. Restore it first.'
  if (instance.desired === 'deleted') return `${instance.name} is being deleted.`
  if (instance.network_volume_id !== null)
    return `${instance.name} has another volume. Detach that one first.`
  if (instance.region !== volume.region)
    return `${instance.name} is in ${instance.region} and the volume in ${volume.region}. Both must be in one region.`
  const isElsewhere =
    instance.driver !== volume.driver ||
    (instance.host_id !== null && volume.host_id !== null && instance.host_id !== volume.host_id)
  if (isElsewhere)
    return `The disk of ${instance.name} is on another host than the volume, and neither can move.`
  if (instance.status === 'stopped') return null
  if (instance.status !== 'running')
    return `${instance.name} is ${instance.status}. Wait until it has ended that.`
  return storeOf(needs, volume.driver).capabilities.whileRunning ? null : whileStopped(instance, 'attached')
}

const whileStopped = ({ name }: { readonly name: string }, verb: 'attached' | 'detached') =>
  `Here a volume is ${verb} while its instance is stopped. Stop ${name} first.`

/** What else belongs to the transaction that makes it so. */
type Noted = (tx: Tx) => Promise<void>

export async function detachVolume(
  needs: AttachNeeds,
  userId: string,
  id: string,
  noted?: Noted,
): Promise<void> {
  const { database } = needs
  const running = await inTransaction(database.kysely, async tx => {
    const found = await unlinkStopped(tx, needs, userId, id)
    if (!found) await noted?.(tx)
    return found
  })
  if (!running) return
  const answer = await storeOf(needs, running.volume.driver).detach(running.instance.driver_ref!)
  if (answer.kind !== 'done') throw notDetached(answer, running.instance.name)
  await inTransaction(database.kysely, async tx => {
    await unlink(tx, needs, userId, id, running.instance.id, 'volume.detached')
    await noted?.(tx)
  })
}

/** Before it is deleted: off what runs, where that can be. */
export async function detachRunning(
  needs: AttachNeeds,
  userId: string,
  id: string,
  noted?: Noted,
): Promise<void> {
  const row = await needs.database.kysely
    .selectFrom('gpu_instances')
    .innerJoin('network_volumes', 'network_volumes.id', 'gpu_instances.network_volume_id')
    .select(['network_volumes.driver', 'gpu_instances.status'])
    .where('network_volumes.id', '=', id)
    .where('network_volumes.user_id', '=', userId)
    .executeTakeFirst()
  if (row?.status === 'running' && storeOf(needs, row.driver).capabilities.whileRunning)
    await detachVolume(needs, userId, id, noted)
}

const notDetached = (answer: Exclude<Answer, { kind: 'done' }>, name: string) =>
  answer.kind === 'failed' && answer.failure === 'rejected'
    ? refused(answer.message)
    : new IngotError('unavailable', {
        message: `The host of ${name} does not answer right now. The volume is still attached; try again.`,
      })

/** Null: it is off its instance. Else what runs with it, which is asked first. */
async function unlinkStopped(tx: Tx, needs: AttachNeeds, userId: string, id: string) {
  await lockWallet(tx, userId)
  const instance = await lockHolder(tx, userId, id)
  const volume = await lockVolume(tx, userId, id)
  if (!instance) throw refused('The volume is not attached to an instance.')
  if (instance.status === 'running') {
    if (!storeOf(needs, volume.driver).capabilities.whileRunning)
      throw refused(whileStopped(instance, 'detached'))
    return { volume, instance }
  }
  if (instance.status !== 'stopped')
    throw refused(`${instance.name} is ${instance.status}. Wait until it has ended that.`)
  await unlink(tx, needs, userId, id, instance.id, 'volume.detached')
  return null
}

async function unlink(
  tx: Tx,
  { clock }: AttachNeeds,
  userId: string,
  id: string,
  instanceId: string,
  fact: 'volume.detached' | null,
): Promise<void> {
  await lockWallet(tx, userId)
  const instance = await lockHolder(tx, userId, id)
  const volume = await lockVolume(tx, userId, id)
  if (instance?.id !== instanceId) return
  const at = clock.iso()
  await tx
    .updateTable('gpu_instances')
    .set({ network_volume_id: null, updated_at: at })
    .where('id', '=', instanceId)
    .execute()
  await changed(tx, volume, fact ?? 'volume.attach_failed', instance, at)
}

/** The loop looks at it: whoever was killed here has left the store behind what is written. */
async function changed(
  tx: Tx,
  volume: VolumeRow,
  type: 'volume.attached' | 'volume.detached' | 'volume.attach_failed',
  instance: Pick<InstanceRow, 'id' | 'name'>,
  at: string,
): Promise<void> {
  await tx
    .updateTable('network_volumes')
    .set({ due_at: new Date(Date.parse(at) + 2_000).toISOString(), updated_at: at })
    .where('id', '=', volume.id)
    .execute()
  await appendEvent(tx, {
    userId: volume.user_id,
    type,
    subjectId: volume.id,
    at,
    data: {
      name: volume.name,
      instance_id: instance.id,
      message: `${instance.name}, at /volumes/${mountNameOf(volume.name)}`,
    },
  })
}
