/**
 * Connections that stay open (event streams, terminals) end with the session or API key that opened them, wherever it
 * was ended: one query a second asks for all of them together, so their number costs nothing more.
 */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'

/** Exactly one of them is set. */
interface OpenedBy {
  readonly sessionId: string | null
  readonly keyId: string | null
}

export interface LiveCallers {
  /** Calls `end` once when the caller may call no more; returns what stops watching. */
  watch(caller: OpenedBy, end: () => void): () => void
}

const everyMs = 1_000

const standing = `
  select s.id from auth_session s join auth_user u on u.id = s.user_id
  where s.id = any($1::uuid[]) and s.superseded_at is null and not coalesce(u.banned_until > now(), false)
  union all
  select k.id from api_keys k join auth_user u on u.id = k.user_id
  where k.id = any($2::uuid[]) and k.is_active and not coalesce(u.banned_until > now(), false)`

export function createLiveCallers({ pool }: Database, log: Logger): LiveCallers {
  const watched = new Set<{ readonly caller: OpenedBy; readonly end: () => void }>()
  let timer: NodeJS.Timeout | null = null
  let asking = false

  const ask = async () => {
    if (asking) return
    asking = true
    const asked = [...watched]
    try {
      const { rows } = await pool.query<{ id: string }>({
        name: 'http.live-callers',
        text: standing,
        values: [distinct(asked, 'sessionId'), distinct(asked, 'keyId')],
      })
      const alive = new Set(rows.map(row => row.id))
      for (const each of asked) {
        if (!alive.has((each.caller.sessionId ?? each.caller.keyId)!) && watched.delete(each)) each.end()
      }
    } catch (error) {
      log.warn({ err: error }, 'open connections could not be checked; they are checked again')
    } finally {
      asking = false
    }
    rest()
  }
  const rest = () => {
    if (watched.size || !timer) return
    clearInterval(timer)
    timer = null
  }

  return {
    watch(caller, end) {
      const entry = { caller, end }
      watched.add(entry)
      timer ??= setInterval(() => void ask(), everyMs).unref()
      return () => {
        watched.delete(entry)
        rest()
      }
    },
  }
}

const distinct = (entries: readonly { readonly caller: OpenedBy }[], key: keyof OpenedBy): string[] => [
  ...new Set(entries.map(({ caller }) => caller[key]).filter(id => id !== null)),
]
