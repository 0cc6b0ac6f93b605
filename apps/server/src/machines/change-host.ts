/**
 * Cordon: nothing new is placed on a host, and what has a place there keeps it. Drain: all that runs there stops at a
 * time, and nothing starts until the host is open again. Who takes a place locks the host's row too, so whoever was
 * first has it, and everybody after that is refused. Those concerned are told in the same transaction: the host's lock
 * holds, so nobody comes meanwhile whom it would leave out.
 */
import { IngotError } from '@ingot/contracts/errors'
import { drainNoticeMs, maxDrainAheadMs } from '@ingot/contracts/admin/machines'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../db/audit-log.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { serial } from '../db/page.ts'
import { type HostRow, tellConcerned } from './tell-concerned.ts'

interface Change {
  readonly id: string
  readonly reason: string
}

interface ChangeNeeds {
  readonly clock: Clock
}

export async function cordonHost(
  tx: Tx,
  { clock }: ChangeNeeds,
  { id, reason }: Change,
  by: string,
): Promise<void> {
  const host = await lockHost(tx, id)
  if (host.cordoned_at !== null) throw refused('It is cordoned already.')
  await write(tx, host, reason, { ...cordonOf(host, reason, by, clock.iso()) })
}

/** What waits for a place may have one here now: whoever calls wakes the queue. */
export async function uncordonHost(tx: Tx, { clock }: ChangeNeeds, { id, reason }: Change): Promise<void> {
  const host = await lockHost(tx, id)
  if (host.cordoned_at === null) throw refused('It is open already.')
  await write(tx, host, reason, {
    cordoned_at: null,
    cordoned_by: null,
    cordon_reason: null,
    drain_at: null,
    drained_at: null,
  })
  if (host.drained_at !== null) await tellConcerned(tx, host, 'maintenance_over', clock.iso())
  else if (host.drain_at !== null) await tellConcerned(tx, host, 'maintenance_off', clock.iso())
}

/** Also another time or reason for one that has not begun. */
export async function drainHost(
  tx: Tx,
  { clock }: ChangeNeeds,
  { id, reason, at, short_notice }: Change & { readonly at: string; readonly short_notice: boolean },
  by: string,
): Promise<void> {
  const host = await lockHost(tx, id)
  if (host.drained_at !== null) throw refused('It is drained already.')
  const now = clock.now()
  const ahead = Date.parse(at) - now
  if (ahead > maxDrainAheadMs) throw wrongTime('is more than 90 days ahead')
  if (ahead < drainNoticeMs && !short_notice)
    throw wrongTime('is less than an hour ahead: confirm that it may come on short notice')
  const drain_at = new Date(Math.max(now, Date.parse(at))).toISOString()
  const changed = { ...cordonOf(host, reason, by, clock.iso()), drain_at }
  await write(tx, host, reason, changed)
  await tellConcerned(tx, { ...host, ...changed }, 'maintenance_planned', clock.iso())
}

export async function cancelDrain(tx: Tx, { clock }: ChangeNeeds, { id, reason }: Change): Promise<void> {
  const host = await lockHost(tx, id)
  if (host.drain_at === null) throw refused('No drain of it is planned.')
  if (host.drained_at !== null) throw refused('It is drained already. Open it again instead.')
  await write(tx, host, reason, { drain_at: null })
  await tellConcerned(tx, host, 'maintenance_off', clock.iso())
}

/** Since when it is closed stays. */
const cordonOf = (host: HostRow, reason: string, by: string, at: string) => ({
  cordoned_at: host.cordoned_at ?? at,
  cordoned_by: by,
  cordon_reason: reason.trim(),
})

/** Its pools, then its row, as whoever gives or takes cards. */
export async function lockHost(tx: Tx, id: string | bigint): Promise<HostRow> {
  if (!serial(String(id))) throw new IngotError('not_found')
  const { rows } = await sql<HostRow>`select * from lock_host(${id})`.execute(tx)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

type Cordon = Pick<HostRow, 'cordoned_at' | 'cordoned_by' | 'cordon_reason' | 'drain_at' | 'drained_at'>

async function write(tx: Tx, host: HostRow, reason: string, changes: Partial<Cordon>): Promise<void> {
  await giveReason(tx, reason.trim())
  await tx.updateTable('host').set(changes).where('id', '=', host.id).execute()
  await sql`select find_free_cards(${host.id})`.execute(tx)
  await appendAudit(tx, {
    kind: 'host',
    id: auditIdOf(host.id),
    userId: null,
    before: stateOf(host),
    after: { host: `${host.driver} ${host.name}`, ...stateOf({ ...host, ...changes }) },
  })
}

const stateOf = ({ cordoned_at, drain_at }: Cordon) => ({ cordoned: cordoned_at !== null, drain_at })

/** The audit log names its subjects by uuid, and a host has a number. */
export const auditIdOf = (host: bigint): string =>
  `00000000-0000-0000-0000-${host.toString(16).padStart(12, '0')}`

const refused = (message: string) => new IngotError('invalid_state', { message })
const wrongTime = (message: string) => new IngotError('validation_failed', { fields: { at: message } })
