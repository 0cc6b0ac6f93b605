/** What the looks at running instances have found, as their owner sees it: on the business clock. */
import {
  type idle,
  type Idleness,
  idleSignals,
  type IdleSignal,
  warnedMs,
} from '@ingot/contracts/instance/idle'
import type { Output } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Region } from '../../catalog/regions.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../db/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import { autoShutdownAt, findInstance, type InstanceRow, snoozedUntil } from '../queries.ts'
import { driverNamed } from '../reconcile/ask.ts'
import type { SshState } from '../ssh/access.ts'
import { countsCards } from './auto-shutdown.ts'
import { lookEveryMs, type Signals } from './signs.ts'

export interface IdlenessNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly ssh: SshState
  readonly config: Pick<Config, 'appsHost'>
}

/** Nobody has read what is measured for so long. */
const unreadMs = 3 * lookEveryMs

export async function getIdleness(
  db: Db | Tx,
  needs: IdlenessNeeds,
  userId: string,
  id: string,
): Promise<Idleness> {
  const row = await findInstance(db, userId, id)
  const watched = watchedOf(needs, row)
  const now = Date.now()
  const offset = needs.clock.now() - now
  const onWire = (ms: number) => new Date(ms + offset).toISOString()
  const kept = row.signals as Signals
  const { auto_shutdown_enabled, auto_shutdown_minutes } = row
  const isOn = row.status === 'running' && auto_shutdown_enabled
  const busyMs = row.busy_at === null ? null : Date.parse(row.busy_at)
  const isIdle = isOn && busyMs !== null && busyMs < Date.parse(row.looked_at!)
  const isMeasured = watched.has('processor') || watched.has('cards')
  const isUnread = isOn && isMeasured && row.looked_at !== null && now - Date.parse(row.looked_at) > unreadMs
  const snoozedMs = row.snoozed_until === null ? 0 : Date.parse(row.snoozed_until)
  const last = idleSignals
    .filter(signal => kept[signal])
    .toSorted((a, b) => Date.parse(kept[b]!.at) - Date.parse(kept[a]!.at))[0]
  return {
    instance_id: id,
    auto_shutdown_enabled,
    auto_shutdown_minutes,
    state: isOn ? (isUnread ? 'unknown' : isIdle ? 'idle' : 'working') : 'off',
    signals: idleSignals.map(signal => {
      const { at, amount = null, card = null } = kept[signal] ?? {}
      return {
        signal,
        watched: watched.has(signal),
        last_at: at === undefined ? null : onWire(Date.parse(at)),
        amount,
        card,
      }
    }),
    last_signal: last ?? null,
    idle_since: isIdle ? onWire(busyMs) : null,
    stops_at: isIdle ? onWire(Math.max(busyMs + auto_shutdown_minutes * 60_000, snoozedMs)) : null,
    snoozed_until: isOn && snoozedMs > now ? onWire(snoozedMs) : null,
  }
}

/** What its driver does not measure is left out, and what is made up. */
function watchedOf({ regions, ssh, config }: IdlenessNeeds, row: InstanceRow): ReadonlySet<IdleSignal> {
  const driver = driverNamed(regions, row.driver)
  return new Set<IdleSignal>([
    'terminal',
    ...(ssh.at ? (['ssh'] as const) : []),
    ...(config.appsHost ? (['requests'] as const) : []),
    ...(driver?.capabilities.measures.processor ? (['processor'] as const) : []),
    ...(driver && countsCards(driver, row) ? (['cards'] as const) : []),
  ])
}

interface IdleRow {
  readonly instance_id: string
  readonly name: string
  readonly stops_at: string
  readonly snoozed_until: string | null
  readonly minutes: number
}

/** One read of rows: however often it is called, nothing is stopped sooner. */
export async function listIdle(
  db: Db,
  { clock }: Pick<IdlenessNeeds, 'clock'>,
  userId: string,
): Promise<Output<typeof idle.checkIdle>> {
  const { rows } = await sql<IdleRow>`
    select * from (
      select i.id as instance_id, i.name, ${sql.raw(autoShutdownAt)} as stops_at, ${sql.raw(snoozedUntil)} as snoozed_until,
        i.auto_shutdown_minutes as minutes
      from gpu_instances i where i.user_id = ${userId} and i.status = 'running' and i.auto_shutdown_enabled) idle
    where stops_at is not null order by stops_at, instance_id limit 100`.execute(db)
  return {
    items: rows.map(({ minutes, ...row }) => ({
      ...row,
      is_soon: Date.parse(row.stops_at) - clock.now() <= warnedMs(minutes),
    })),
    next_cursor: null,
  }
}
