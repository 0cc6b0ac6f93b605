/** Which ports of an instance can be reached, and by whom. */
import { IngotError } from '@ingot/contracts/errors'
import { type InstancePort, type instancePorts, maxPorts } from '@ingot/contracts/instance/ports'
import type { Parsed } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { type InstanceRow, lockInstance } from '../queries.ts'
import { originOfPort } from './address.ts'
import { getPort, notThere } from './queries.ts'

interface PortNeeds {
  readonly config: Config
  readonly clock: Clock
}

const tooMany = () =>
  new IngotError('validation_failed', {
    fields: { port: `is one too many: an instance has at most ${maxPorts}. Remove one first` },
  })

export async function addPort(
  tx: Tx,
  { config, clock }: PortNeeds,
  userId: string,
  { id, port, name, path = '/', visibility = 'private' }: Parsed<typeof instancePorts.addPort>,
): Promise<InstancePort> {
  const row = await lockOpen(tx, userId, id)
  originOfPort(config, { user: row.ssh_user, port })
  const present = await tx.selectFrom('instance_port').select('port').where('instance_id', '=', id).execute()
  if (present.some(each => each.port === port))
    throw new IngotError('validation_failed', { fields: { port: 'is there already' } })
  if (present.length >= maxPorts) throw tooMany()
  await tx
    .insertInto('instance_port')
    .values({
      instance_id: id,
      port,
      name: name?.trim() ?? `Port ${port}`,
      path,
      is_public: visibility === 'public',
    })
    .execute()
  await note(tx, clock, row, 'added', `Port ${port}, ${visibility}`)
  return getPort(config, tx, userId, id, port)
}

export async function updatePort(
  tx: Tx,
  { config, clock }: PortNeeds,
  userId: string,
  { id, port, name, path, visibility }: Parsed<typeof instancePorts.updatePort>,
): Promise<InstancePort> {
  const row = await lockOpen(tx, userId, id)
  const before = await getPort(config, tx, userId, id, port)
  await tx
    .updateTable('instance_port')
    .set({
      name: name?.trim() ?? before.name,
      path: path ?? before.path,
      is_public: (visibility ?? before.visibility) === 'public',
    })
    .where('instance_id', '=', id)
    .where('port', '=', port)
    .execute()
  const isMoved = visibility !== undefined && visibility !== before.visibility
  await note(tx, clock, row, 'changed', isMoved ? `Port ${port} is ${visibility} now` : `Port ${port}`)
  return getPort(config, tx, userId, id, port)
}

/** With its links. */
export async function deletePort(
  tx: Tx,
  { clock }: PortNeeds,
  userId: string,
  { id, port }: Parsed<typeof instancePorts.deletePort>,
): Promise<void> {
  const row = await lockInstance(tx, userId, id)
  const { numDeletedRows } = await tx
    .deleteFrom('instance_port')
    .where('instance_id', '=', id)
    .where('port', '=', port)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notThere(port)
  await note(tx, clock, row, 'removed', `Port ${port}`)
}

/** Of a new instance: those of its template, and what its customer asks for beside them. */
export async function keepPorts(tx: Tx, instanceId: string, wished: readonly number[]): Promise<void> {
  const { rows } = await sql<{ ports: number[] }>`
    select ports from instance_template where instance_id = ${instanceId}`.execute(tx)
  const ports = [...new Set([...(rows[0]?.ports ?? []), ...wished])]
  if (ports.length > maxPorts)
    throw new IngotError('validation_failed', {
      fields: { ports: `are too many with those of the template: an instance has at most ${maxPorts}` },
    })
  if (ports.length > 0)
    await tx
      .insertInto('instance_port')
      .values(ports.map(port => ({ instance_id: instanceId, port, name: `Port ${port}` })))
      .execute()
}

/** Those of another instance, all private: who may reach the one says nothing of the other. */
export const copyPorts = (tx: Tx, sourceId: string, instanceId: string) =>
  sql`insert into instance_port (instance_id, port, name, path)
    select ${instanceId}, port, name, path from instance_port where instance_id = ${sourceId}`.execute(tx)

export async function lockOpen(tx: Tx, userId: string, id: string): Promise<InstanceRow> {
  const row = await lockInstance(tx, userId, id)
  if (row.desired === 'deleted')
    throw new IngotError('invalid_state', { message: 'This instance is being deleted.' })
  return row
}

export const note = (
  tx: Tx,
  clock: Clock,
  { id, user_id, name }: InstanceRow,
  what: 'added' | 'changed' | 'removed' | 'shared' | 'unshared',
  message: string,
): Promise<void> =>
  appendEvent(tx, {
    userId: user_id,
    type: `instance.port_${what}`,
    subjectId: id,
    at: clock.iso(),
    data: { name, message },
  })
