import type { admin } from '@ingot/contracts/admin'
import type { Handlers } from '../http/bind.ts'
import { setRole } from './set-role.ts'

export const adminRoutes: Handlers<typeof admin> = {
  setRole: async ({ id, ...change }, { db, caller }) => {
    await setRole(db, id, change, caller.userId)
    return { id, role: change.role }
  },
}
