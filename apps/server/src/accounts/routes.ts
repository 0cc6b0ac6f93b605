import type { accounts, Profile } from '@ingot/contracts/accounts'
import type { Db, Tx } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'

export const accountRoutes: Handlers<typeof accounts> = {
  profile: (_, { db, caller }) => getProfile(db, caller.userId),
  update: async (changes, { db, caller }) => {
    if (Object.keys(changes).length)
      await db.updateTable('profiles').set(changes).where('user_id', '=', caller.userId).execute()
    return getProfile(db, caller.userId)
  },
  userRole: async (_, { caller }) => ({ role: caller.role }),
}

/** Every account has one from its first moment: a trigger makes it. */
const getProfile = (db: Db | Tx, userId: string): Promise<Profile> =>
  db.selectFrom('profiles').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow()
