import type { admin } from '@ingot/contracts/admin'
import type { Handlers } from '../http/bind.ts'
import { setRole } from './set-role.ts'

export const adminRoutes: Handlers<typeof admin> = {
  setRole: async ({ id, role }, { db, caller }) => {
    await setRole(db, id, role, caller.userId)
    return { id, role }
  },
}
