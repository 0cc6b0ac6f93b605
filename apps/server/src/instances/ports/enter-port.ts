/**
 * How a browser comes to the origin of a port: with a ticket, good once for somebody who is signed in, or with a link,
 * good for whoever has it until it ends. Only hashes of both are stored. Either becomes a pass (`pass.ts`) there.
 */
import { createHash, randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { type instancePorts, maxPortShares } from '@ingot/contracts/instance/ports'
import { whyNot } from '@ingot/contracts/instances'
import type { Output, Parsed } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Clock } from '../../db/clock.ts'
import { type Db, inTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Caller } from '../../http/bind.ts'
import { findInstance } from '../queries.ts'
import { originOfPort, type PortName } from './address.ts'
import { lockOpen, note } from './manage-ports.ts'
import type { Holder } from './pass.ts'
import { getPort } from './queries.ts'

export const enterPath = '/.ingot/enter'
const ticketSeconds = 30
const secretBytes = 32
const hourMs = 3_600_000

const secret = (): string => randomBytes(secretBytes).toString('base64url')
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

export async function openPort(
  config: Config,
  db: Db,
  caller: Caller,
  { id, port }: Parsed<typeof instancePorts.openPort>,
): Promise<Output<typeof instancePorts.openPort>> {
  const { status, ssh_user: user } = await findInstance(db, caller.userId, id)
  await getPort(config, db, caller.userId, id, port)
  const refusal = whyNot('connect', status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  const ticket = secret()
  const expires_at = new Date(Date.now() + ticketSeconds * 1000).toISOString()
  await sql`delete from port_ticket where expires_at < now()`.execute(db)
  await db
    .insertInto('port_ticket')
    .values({
      hash: hashOf(ticket),
      instance_id: id,
      port,
      session_id: caller.sessionId,
      key_id: caller.keyId,
      expires_at,
    })
    .execute()
  return { url: `${originOfPort(config, { user, port })}${enterPath}?ticket=${ticket}`, expires_at }
}

export async function sharePort(
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  db: Db,
  userId: string,
  { id, port, hours }: Parsed<typeof instancePorts.sharePort>,
): Promise<Output<typeof instancePorts.sharePort>> {
  const share = secret()
  return inTransaction(db, async tx => {
    const row = await lockOpen(tx, userId, id)
    const { shares } = await getPort(config, tx, userId, id, port)
    if (shares.length >= maxPortShares)
      throw new IngotError('validation_failed', {
        fields: { port: `has ${maxPortShares} links already. End one first` },
      })
    await sql`delete from port_share where instance_id = ${id} and expires_at < now()`.execute(tx)
    const created_at = new Date().toISOString()
    const expires_at = new Date(Date.now() + hours * hourMs).toISOString()
    const made = { id: newId(), created_at, expires_at }
    await tx
      .insertInto('port_share')
      .values({ ...made, instance_id: id, port, hash: hashOf(share) })
      .execute()
    await note(tx, clock, row, 'shared', `Port ${port}, until ${expires_at.slice(0, 16)}Z`)
    const origin = originOfPort(config, { user: row.ssh_user, port })
    return { ...made, url: `${origin}${enterPath}?share=${share}` }
  })
}

export async function deletePortShare(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  const share = await tx
    .selectFrom('port_share')
    .innerJoin('gpu_instances', 'gpu_instances.id', 'port_share.instance_id')
    .where('port_share.id', '=', id)
    .where('gpu_instances.user_id', '=', userId)
    .select(['port_share.instance_id', 'port_share.port'])
    .executeTakeFirst()
  if (!share) throw new IngotError('not_found')
  const row = await lockOpen(tx, userId, share.instance_id)
  await tx.deleteFrom('port_share').where('id', '=', id).execute()
  await note(tx, clock, row, 'unshared', `Port ${share.port}`)
}

export interface Entry {
  readonly instanceId: string
  readonly holder: Holder
  /** Of the link; null: the pass sets its own. */
  readonly expiresAt: Date | null
  /** Where it leads. */
  readonly path: string
}

interface Row {
  readonly instance_id: string
  readonly id: string
  readonly kind: Holder['kind']
  readonly expires_at: Date | null
  readonly path: string
}

/** Uses a ticket up, at the origin that it was made for and nowhere else. */
export async function takeTicket(db: Db, { user, port }: PortName, ticket: string): Promise<Entry | null> {
  const { rows } = await sql<Row>`
    with used as (
      delete from port_ticket t using gpu_instances i
      where t.hash = ${hashOf(ticket)} and t.port = ${port} and i.id = t.instance_id and i.ssh_user = ${user}
      returning t.*)
    select u.instance_id, coalesce(u.session_id, u.key_id) as id, null as expires_at, p.path,
      case when u.key_id is null then 'session' else 'key' end as kind
    from used u join instance_port p on p.instance_id = u.instance_id and p.port = u.port
    where u.expires_at > now()`.execute(db)
  return entryOf(rows[0])
}

export async function findShare(db: Db, { user, port }: PortName, share: string): Promise<Entry | null> {
  const { rows } = await sql<Row>`
    select s.instance_id, s.id, s.expires_at, p.path, 'share' as kind
    from port_share s join instance_port p on p.instance_id = s.instance_id and p.port = s.port
    join gpu_instances i on i.id = s.instance_id
    where s.hash = ${hashOf(share)} and s.port = ${port} and i.ssh_user = ${user} and s.expires_at > now()`.execute(
    db,
  )
  return entryOf(rows[0])
}

const entryOf = (row: Row | undefined): Entry | null =>
  row
    ? {
        instanceId: row.instance_id,
        holder: { kind: row.kind, id: row.id },
        expiresAt: row.expires_at && new Date(row.expires_at),
        path: row.path,
      }
    : null
