import type { ssh } from '@ingot/contracts/ssh'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { addKey } from './add-key.ts'
import { deleteKey } from './delete-key.ts'
import { listKeys } from './queries.ts'

export function sshRoutes(needs: { clock: Clock; signals: Signals }): Handlers<typeof ssh> {
  const wake = (userId: string) => () => needs.signals.send(`user:${userId}`)
  return {
    keys: async (_, { db, caller }) => ({ items: await listKeys(db, caller.userId), next_cursor: null }),
    addKey: async (wish, { db, caller, afterCommit }) => {
      const key = await addKey(db, needs, caller.userId, wish)
      afterCommit(wake(caller.userId))
      return key
    },
    deleteKey: async ({ id }, { db, caller, afterCommit }) => {
      await deleteKey(db, needs, caller.userId, id)
      afterCommit(wake(caller.userId))
      return {}
    },
  }
}
