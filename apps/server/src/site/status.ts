/**
 * How the service is doing, for anybody who asks: the last finding and the days behind it. It answers while the database
 * is away too, and says so; a finding that is too old says that nobody looks any more. Every visitor asks for it, so one
 * answer serves for a few seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { statusDays, type SystemStatus } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Db } from '../db/database.ts'
import { databaseCheck, everyMs, workerCheck } from './check.ts'

const keepMs = 2_000
const patienceMs = 3_000
const staleMs = 5 * everyMs

type History = Pick<SystemStatus, 'days' | 'uptime_percent'>

export interface StatusNeeds {
  readonly database: Database
  readonly log: Logger
}

export function createStatus({ database, log }: StatusNeeds): () => Promise<SystemStatus> {
  let kept: { readonly until: number; readonly answer: Promise<SystemStatus> } | null = null
  let history: History | null = null

  const read = async (): Promise<SystemStatus> => {
    const timer = new AbortController()
    try {
      const status = await Promise.race([
        readStatus(database.kysely),
        sleep(patienceMs, undefined, { signal: timer.signal, ref: false }).then(() => {
          throw new Error(`no answer in ${patienceMs} ms`)
        }),
      ])
      history = { days: status.days, uptime_percent: status.uptime_percent }
      return status
    } catch (error) {
      log.warn({ err: error }, 'the state of the service cannot be read')
      return withoutDatabase(history)
    } finally {
      timer.abort()
    }
  }
  return () => {
    if (!kept || kept.until < Date.now()) kept = { until: Date.now() + keepMs, answer: read() }
    return kept.answer
  }
}

interface StatusRow {
  state: SystemStatus['state']
  checks: SystemStatus['checks']
  checked_at: string
}

async function readStatus(db: Db): Promise<SystemStatus> {
  const [latest, days] = await Promise.all([
    db.selectFrom('site_status').select(['state', 'checks', 'checked_at']).executeTakeFirst(),
    sql<SystemStatus['days'][number]>`
      select d::date::text as day, coalesce(ok_minutes, 0) as ok_minutes, coalesce(measured_minutes, 0) as measured_minutes
      from generate_series((now() at time zone 'UTC')::date - ${statusDays - 1}::int, (now() at time zone 'UTC')::date, interval '1 day') d
      left join site_status_day on day = d::date order by d`.execute(db),
  ])
  return { ...current(latest), uptime_percent: uptime(days.rows), days: days.rows }
}

function current(row: StatusRow | undefined): StatusRow {
  if (!row)
    return {
      state: 'degraded',
      checks: [{ name: workerCheck, ok: false, detail: 'No check was made yet' }],
      checked_at: new Date().toISOString(),
    }
  if (Date.now() - Date.parse(row.checked_at) < staleMs) return row
  const stopped = { name: workerCheck, ok: false, detail: 'Has stopped: no check is made any more' }
  return {
    state: row.state === 'operational' ? 'degraded' : row.state,
    checks: row.checks.map(each => (each.name === workerCheck ? stopped : each)),
    checked_at: row.checked_at,
  }
}

function withoutDatabase(history: History | null): SystemStatus {
  return {
    state: 'down',
    checked_at: new Date().toISOString(),
    checks: [{ name: databaseCheck, ok: false, detail: 'Does not answer' }],
    ...(history ?? { uptime_percent: null, days: emptyDays() }),
  }
}

const dayMs = 86_400_000
const emptyDays = (): SystemStatus['days'] =>
  Array.from({ length: statusDays }, (_, n) => ({
    day: new Date(Date.now() - (statusDays - 1 - n) * dayMs).toISOString().slice(0, 10),
    ok_minutes: 0,
    measured_minutes: 0,
  }))

/** Rounded down, so less than all is never shown as 100. */
export function uptime(days: SystemStatus['days']): string | null {
  const sum = (key: 'ok_minutes' | 'measured_minutes') => days.reduce((total, day) => total + day[key], 0)
  const measured = sum('measured_minutes')
  return measured ? (Math.floor((sum('ok_minutes') * 10_000) / measured) / 100).toFixed(2) : null
}
