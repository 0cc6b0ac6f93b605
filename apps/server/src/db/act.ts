/**
 * Who does what is being done, and through which call. It is set once, where a call begins (`http/bind`, the auth
 * service), travels with the call's asynchronous work, and is written into every transaction that the work opens: no
 * command passes it on, and none can leave it out. What no call does is done by the system.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/**
 * `staff`: a moderator or administrator by a right of the role, or the holder of the service key; what they do to their
 * own account as its user they do as a user. `schedule`: one that its user has made. `visitor`: nobody who has signed in.
 */
export type Actor = `${'user' | 'key' | 'schedule' | 'staff'}:${string}` | 'visitor' | 'system'

export interface Act {
  readonly actor: Actor
  /** Null: the one that the account has. */
  readonly role: string | null
  /** The operation's id; of a call of the auth service its method and path. */
  readonly operation: string
  readonly requestId: string
  readonly ip: string | null
}

const acts = new AsyncLocalStorage<{ act: Act }>()

export const inAct = <T>(act: Act, work: () => T): T => acts.run({ act }, work)

/** The call that runs has found out who makes it. A transaction that is open already keeps what it began with. */
export function actAs(actor: Actor, role: string | null = null): void {
  const current = acts.getStore()
  if (current) current.act = { ...current.act, actor, role }
}

/** The statements that tell a transaction: SQL reads them with `actor_now()`, `operation_now()` and `caller_now()`. */
export function actSettings(): string[] {
  const act = acts.getStore()?.act
  if (!act) return []
  const { actor, operation, role, requestId, ip } = act
  const settings = { actor, operation, caller: JSON.stringify({ role, ip, request_id: requestId }) }
  return Object.entries(settings).map(
    ([name, value]) => `set local ingot.${name} = ${pg.escapeLiteral(value)}`,
  )
}
