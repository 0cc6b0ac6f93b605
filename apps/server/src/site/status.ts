/**
 * How the service is doing, for anybody who asks: the last finding and the days behind it. It answers while the
 * database is away too, and says so; a finding that is too old says that nobody looks any more. Every visitor asks for
 * it, so one answer serves for a few seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { statusDays, type SystemStatus } from '@ingot/contracts/site'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { databaseCheck, workerCheck } from './check.ts'
import { getStatus, type StatusRow } from './queries.ts'
import { everyMs } from './start-checks.ts'

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
      const { latest, days } = await Promise.race([
        getStatus(database.kysely),
        sleep(patienceMs, undefined, { signal: timer.signal, ref: false }).then(() => {
          throw new Error(`no answer in ${patienceMs} ms`)
        }),
      ])
      history = { uptime_percent: uptime(days), days }
      return { ...current(latest), ...history }
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
