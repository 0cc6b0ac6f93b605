/** Whom administrators keep out, let in again, sign out and delete. Roles stand with `admin`. */
import * as z from 'zod/mini'
import { accountDeletion, balanceChoices, maxConfirmation, maxEmailLength } from '../accounts.ts'
import { id, operation, timestamp } from '../operation.ts'

/** Letters of a reason, which the customer reads as it was written. */
export const maxPeopleReason = 500
const reason = z.string().check(z.maxLength(maxPeopleReason), z.regex(/\S/))

export const suspension = z.object({
  user_id: id,
  /** Null: the account is open. */
  suspended_at: z.nullable(timestamp),
  reason: z.nullable(z.string()),
})
export type Suspension = z.infer<typeof suspension>

/** What suspending or deleting an account would concern. */
export const personDeletion = z.extend(z.omit(accountDeletion, { proof: true }), {
  user_id: id,
  email: z.nullable(z.string()),
  /** What must be typed, letter by letter, to delete it: the address, or DELETE where there is none. */
  confirmation: z.string(),
  /** It is the only administrator that can sign in: refused. */
  is_last_administrator: z.boolean(),
  sessions: z.int(),
  /** An API key that works. */
  has_api_key: z.boolean(),
})
export type PersonDeletion = z.infer<typeof personDeletion>

const act = { input: z.object({ id, reason }), status: 200 } as const

export const people = {
  suspend: operation({
    ...act,
    id: 'suspendUser',
    method: 'POST',
    path: '/v1/admin/users/{id}/suspend',
    who: 'admin',
    fresh: true,
    summary: 'Keep a user out: sessions and API key end, instances stop, nothing is deleted',
    output: suspension,
    errors: ['not_found', 'not_allowed', 'last_administrator'],
  }),
  reinstate: operation({
    ...act,
    id: 'reinstateUser',
    method: 'POST',
    path: '/v1/admin/users/{id}/reinstate',
    who: 'admin',
    fresh: true,
    summary: 'Let a suspended user in again; what stopped stays stopped',
    output: suspension,
    errors: ['not_found', 'not_allowed'],
  }),
  endSessions: operation({
    ...act,
    id: 'endUserSessions',
    method: 'POST',
    path: '/v1/admin/users/{id}/end-sessions',
    who: 'admin',
    summary: 'Sign a user out everywhere; their API key goes on working',
    output: z.object({ user_id: id, ended: z.int() }),
    errors: ['not_found', 'not_allowed'],
  }),
  deletion: operation({
    id: 'getUserDeletion',
    method: 'GET',
    path: '/v1/admin/users/{id}/deletion',
    who: 'admin',
    summary: 'What deleting a user would mean now',
    input: z.object({ id }),
    output: personDeletion,
    status: 200,
    errors: ['not_found'],
  }),
  delete: operation({
    id: 'deleteUser',
    method: 'DELETE',
    path: '/v1/admin/users/{id}',
    who: 'admin',
    fresh: true,
    summary:
      'Delete a user as they could themselves: instances are destroyed, personal data is erased, and nobody can undo it',
    input: z.object({
      id,
      reason,
      /** The user's address, or DELETE. */
      confirmation: z.string().check(z.maxLength(Math.max(maxConfirmation, maxEmailLength))),
      /** What becomes of their money: paid out to them by request, or given up, which a person has agreed to. */
      balance: z._default(z.enum(balanceChoices), 'refund'),
    }),
    output: z.object({ id }),
    status: 200,
    errors: ['not_found', 'not_allowed', 'invalid_state', 'last_administrator'],
  }),
}
