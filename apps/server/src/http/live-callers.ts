/**
 * Connections that stay open (event streams, terminals) go by the table of who may call as long as they last: they end
 * with the session or API key that opened them, wherever it was ended, and with the role that they need. One query a
 * second asks for all of them together, so their number costs nothing more.
 */
import type { UserRole } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import type { Operation } from '@ingot/contracts/operation'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { assertMayCall, mayCall } from './policy.ts'
import { createWatched } from './watched.ts'

/** Exactly one of them is set. */
interface OpenedBy {
  readonly sessionId: string | null
  readonly keyId: string | null
}

type Call = Pick<Operation, 'who'>

export interface LiveCallers {
  /** Refuses whoever may not make this call now, as every route does. */
  assertMayCall(call: Call, caller: OpenedBy): Promise<void>
  /** Calls `end` once when the caller may make this call no more; returns what stops watching. */
  watch(call: Call, caller: OpenedBy, end: () => void): () => void
}

const standing = `
  select opened.id, coalesce(r.role, 'user') as role
  from (
    select id, user_id from auth_session where id = any($1::uuid[]) and superseded_at is null
    union all
    select id, user_id from api_keys where id = any($2::uuid[]) and is_active) opened
  join auth_user u on u.id = opened.user_id left join user_roles r on r.user_id = u.id
  where not coalesce(u.banned_until > now(), false)`

export function createLiveCallers({ pool }: Database, log: Logger): LiveCallers {
  /** The role of each caller that stands; undefined for others. */
  const rolesOf = async (callers: readonly OpenedBy[]) => {
    const { rows } = await pool.query<{ id: string; role: UserRole }>({
      name: 'http.live-callers',
      text: standing,
      values: [distinct(callers, 'sessionId'), distinct(callers, 'keyId')],
    })
    const roles = new Map(rows.map(({ id, role }) => [id, role]))
    return ({ sessionId, keyId }: OpenedBy) => roles.get((sessionId ?? keyId)!)
  }
  const watched = createWatched<{ readonly call: Call; readonly caller: OpenedBy }>(async items => {
    const roleOf = await rolesOf(items.map(({ caller }) => caller))
    return ({ call, caller }) => {
      const role = roleOf(caller)
      return role && mayCall(call, { ...caller, role }) ? null : 'signed out'
    }
  }, log)

  return {
    async assertMayCall(call, caller) {
      const role = (await rolesOf([caller]))(caller)
      if (!role) throw new IngotError('not_authenticated')
      assertMayCall(call, { ...caller, role })
    },
    watch: (call, caller, end) => watched.watch({ call, caller }, end),
  }
}

const distinct = (callers: readonly OpenedBy[], key: keyof OpenedBy): string[] => [
  ...new Set(callers.map(caller => caller[key]).filter(id => id !== null)),
]
