/**
 * What an administrator does to a user's instance: the commands of its owner, by the rules and with the money that hold
 * for them. Who did it is in every fact (`db/act.ts`); before and after, with the reason, in the audit log.
 */
import type { AdminInstanceDetails } from '@ingot/contracts/admin/instances'
import { IngotError } from '@ingot/contracts/errors'
import { keepRefusal, NoPlace } from '../../catalog/places.ts'
import type { Region } from '../../catalog/regions.ts'
import { appendAudit, giveReason } from '../../db/audit-log.ts'
import type { Clock } from '../../db/clock.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Signals } from '../../worker/signals.ts'
import { deleteInstance } from '../../instances/delete-instance.ts'
import { startInstance } from '../../instances/start-instance.ts'
import { stopInstance } from '../../instances/stop-instance.ts'
import { getAnyInstance, ownerOfInstance } from '../lists/instances.ts'

export interface InstanceActNeeds {
  readonly clock: Clock
  readonly database: Database
  readonly regions: readonly Region[]
  readonly signals: Signals
}

const commands = { start: startInstance, stop: stopInstance, delete: deleteInstance } as const

interface Wish {
  readonly id: string
  readonly reason: string
}
interface Around {
  readonly afterCommit: (action: () => void) => void
  readonly afterRollback: (action: () => Promise<void>) => void
}

export async function actOnInstance(
  tx: Tx,
  needs: InstanceActNeeds,
  verb: keyof typeof commands,
  { id, reason }: Wish,
  { afterCommit, afterRollback }: Around,
): Promise<AdminInstanceDetails> {
  const { clock, database, signals } = needs
  const { userId, isOver } = await ownerOfInstance(tx, id)
  if (isOver) throw new IngotError('invalid_state', { message: 'This instance is terminated.' })
  await giveReason(tx, reason)
  const before = await getAnyInstance(tx, clock.iso(), id)
  await commands[verb](tx, needs, userId, id).catch(error => {
    if (error instanceof NoPlace) afterRollback(() => keepRefusal(database.kysely, error, clock.iso()))
    // Its loop has destroyed it meanwhile.
    if (error instanceof IngotError && error.code === 'not_found')
      throw new IngotError('invalid_state', { message: 'This instance is terminated.' })
    throw error
  })
  const after = await getAnyInstance(tx, clock.iso(), id)
  const said = ({ name, status }: AdminInstanceDetails) => ({ name, status, act: null as string | null })
  await appendAudit(tx, {
    kind: 'instance',
    id,
    userId,
    before: said(before),
    after: { ...said(after), act: verb },
  })
  afterCommit(() => {
    for (const topic of ['gpu_instances', 'wallets', `user:${userId}`] as const) signals.send(topic)
  })
  return after
}
