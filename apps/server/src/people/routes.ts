import type { people } from '@ingot/contracts/admin/people'
import { type DeleteAccountNeeds, wakeAfterDeletion } from '../accounts/delete-account.ts'
import type { Handlers } from '../http/bind.ts'
import { deleteUser } from './delete-user.ts'
import { endSessions } from './end-sessions.ts'
import { getPersonDeletion, getSuspension } from './queries.ts'
import { reinstateUser } from './reinstate-user.ts'
import { suspendUser } from './suspend-user.ts'

export function peopleRoutes(needs: Omit<DeleteAccountNeeds, 'database'>): Handlers<typeof people> {
  const { clock, signals } = needs
  const wake = (userId: string) => () => {
    for (const topic of ['suspension', 'mail', 'places', `user:${userId}`] as const) signals.send(topic)
  }
  return {
    suspend: async ({ id, reason }, { db, caller, afterCommit }) => {
      await suspendUser(db, needs, id, { reason: reason.trim(), by: caller.userId })
      afterCommit(wake(id))
      return getSuspension(db, id)
    },
    reinstate: async ({ id, reason }, { db, caller, afterCommit }) => {
      await reinstateUser(db, needs, id, { reason: reason.trim(), by: caller.userId })
      afterCommit(wake(id))
      return getSuspension(db, id)
    },
    endSessions: async ({ id, reason }, { db, caller, afterCommit }) => {
      const ended = await endSessions(db, needs, id, { reason: reason.trim(), by: caller.userId })
      afterCommit(wake(id))
      return { user_id: id, ended }
    },
    deletion: ({ id }, { db }) => getPersonDeletion(db, id, clock.iso()),
    delete: async ({ id, reason, ...wish }, { db, caller, afterCommit }) => {
      await deleteUser(db, needs, id, { ...wish, reason: reason.trim(), by: caller.userId })
      afterCommit(() => wakeAfterDeletion(needs, id))
      return { id }
    },
  }
}
