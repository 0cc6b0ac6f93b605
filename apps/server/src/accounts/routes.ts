import type { accounts } from '@ingot/contracts/accounts'
import type { FastifyRequest } from 'fastify'
import { inTransaction } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import { callerAddress } from '../http/caller-address.ts'
import { placesOf } from '../auth/visitor.ts'
import { deleteOwnAccount, type DeleteOwnAccountNeeds } from './delete-own-account.ts'
import { endOtherSessions } from './end-other-sessions.ts'
import { endSession } from './end-session.ts'
import { generateApiKey } from './generate-api-key.ts'
import { getApiKey, getDeletion, getProfile, getSettings, listSessions } from './queries.ts'
import { proveOwner, readProof } from './prove-owner.ts'
import { revealApiKey } from './reveal-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { listStaffActs } from './staff-acts.ts'
import { updateProfile } from './update-profile.ts'
import { updateSettings } from './update-settings.ts'

/** Deleting an account needs all that the other commands behind these routes need. */
export function accountRoutes(needs: DeleteOwnAccountNeeds): Handlers<typeof accounts> {
  const { clock, signals } = needs
  const wake = (userId: string) => () => signals.send(`user:${userId}`)

  return {
    profile: (_, { db, caller }) => getProfile(db, caller.userId),
    update: async (changes, { db, caller }) => {
      await updateProfile(db, caller.userId, changes)
      return getProfile(db, caller.userId)
    },
    userRole: async (_, { caller }) => ({ role: caller.role }),

    settings: (_, { db, caller }) => getSettings(db, caller.userId),
    updateSettings: (changes, { db, caller }) => updateSettings(db, caller.userId, changes),

    apiKey: async (_, { db, caller }) => ({ key: await getApiKey(db, caller.userId) }),
    // Their answers are secrets, so they are not kept under an Idempotency-Key: they open their own transactions.
    generateApiKey: async ({ name }, { db, caller, request, afterCommit }) => {
      const key = await inTransaction(db, tx => generateApiKey(tx, needs, caller, name, addressOf(request)))
      afterCommit(wake(caller.userId))
      return key
    },
    revealApiKey: async (_, { db, caller, request, afterCommit }) => {
      const key = await inTransaction(db, tx => revealApiKey(tx, needs, caller.userId, addressOf(request)))
      afterCommit(wake(caller.userId))
      return key
    },
    revokeApiKey: async (_, { db, caller, request, afterCommit }) => {
      await revokeApiKey(db, needs, caller.userId, addressOf(request))
      afterCommit(wake(caller.userId))
      return {}
    },

    sessions: (input, { db, caller }) => listSessions(db, caller, input),
    endSession: async ({ id }, { db, caller, afterCommit }) => {
      await endSession(db, caller, id, clock.iso())
      afterCommit(wake(caller.userId))
      return {}
    },
    endOtherSessions: async (_, { db, caller, afterCommit }) => {
      const ended = await endOtherSessions(db, caller, clock.iso())
      afterCommit(wake(caller.userId))
      return { ended }
    },

    proof: (_, { db, caller }) => readProof(db, caller),
    prove: ({ password }, { caller, request }) => proveOwner(needs, caller, password, placesOf(request)),
    staffActs: (input, { db, caller }) => listStaffActs(db, caller.userId, input),

    deletion: (_, { db, caller }) => getDeletion(db, caller, clock.iso()),
    deleteAccount: async (wish, { caller, request }) => {
      await deleteOwnAccount(needs, caller, wish, placesOf(request))
      return {}
    },
  }
}

const addressOf = (request: FastifyRequest): string => callerAddress(request) ?? 'an unknown address'
