import type { accounts, Profile } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import type { FastifyRequest } from 'fastify'
import { type Db, inTransaction, type Tx } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import { generateApiKey, getApiKey, revealApiKey, revokeApiKey } from './api-key.ts'
import { deleteOwnAccount } from './delete-own-account.ts'
import { getDeletion } from './deletion.ts'
import type { AccountServices } from './services.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'
import { getSettings, updateSettings } from './settings.ts'

export function accountRoutes(services: AccountServices): Handlers<typeof accounts> {
  const { clock, signals } = services
  const tell = (userId: string) => () => signals.send(`user:${userId}`)

  return {
    profile: (_, { db, caller }) => getProfile(db, caller.userId),
    update: async (changes, { db, caller }) => {
      if (Object.keys(changes).length)
        await db.updateTable('profiles').set(changes).where('user_id', '=', caller.userId).execute()
      return getProfile(db, caller.userId)
    },
    userRole: async (_, { caller }) => ({ role: caller.role }),

    settings: (_, { db, caller }) => getSettings(db, caller.userId),
    updateSettings: (changes, { db, caller }) => updateSettings(db, caller.userId, changes),

    apiKey: async (_, { db, caller }) => ({ key: await getApiKey(db, caller.userId) }),
    // Their answers are secrets, so they are not kept under an Idempotency-Key: they open their own transactions.
    generateApiKey: async ({ name }, { db, caller, request, afterCommit }) => {
      const key = await inTransaction(db, tx =>
        generateApiKey(tx, services, caller.userId, name, addressOf(request)),
      )
      afterCommit(tell(caller.userId))
      return key
    },
    revealApiKey: async (_, { db, caller, request, afterCommit }) => {
      const key = await inTransaction(db, tx => revealApiKey(tx, services, caller.userId, addressOf(request)))
      afterCommit(tell(caller.userId))
      return key
    },
    revokeApiKey: async (_, { db, caller, request, afterCommit }) => {
      await revokeApiKey(db, services, caller.userId, addressOf(request))
      afterCommit(tell(caller.userId))
      return {}
    },

    sessions: (input, { db, caller }) => listSessions(db, caller, input),
    endSession: async ({ id }, { db, caller, afterCommit }) => {
      await endSession(db, caller, id, clock.iso())
      afterCommit(tell(caller.userId))
      return {}
    },
    endOtherSessions: async (_, { db, caller, afterCommit }) => {
      const ended = await endOtherSessions(db, caller, clock.iso())
      afterCommit(tell(caller.userId))
      return { ended }
    },

    deletion: (_, { db, caller }) => getDeletion(db, caller, clock.iso()),
    deleteAccount: async (wish, { caller }) => {
      await deleteOwnAccount(services, caller, wish)
      return {}
    },
  }
}

const addressOf = (request: FastifyRequest): string => request.ip || 'an unknown address'

/** Every account has one from its first moment until it is deleted: a trigger makes it. */
const getProfile = (db: Db | Tx, userId: string): Promise<Profile> =>
  db
    .selectFrom('profiles')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => new IngotError('not_authenticated'))
