/**
 * Acting as a customer: an administrator reads what that customer would see. No session is made: it is their own, with
 * `actingHeader` naming the customer, for a while and with a reason that the customer reads.
 */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from '../operation.ts'

export const actingMinutes = 30
export const maxActingReason = 250

const acts = z.object({
  user_id: id,
  email: z.nullable(z.string()),
  reason: z.string(),
  until: timestamp,
})
export type Acting = z.infer<typeof acts>

export const acting = {
  acting: operation({
    id: 'getActing',
    method: 'GET',
    path: '/v1/admin/acting',
    who: 'admin',
    summary: 'Which customer this session acts as; null: none',
    input: nothing,
    output: z.object({ acting: z.nullable(acts) }),
    status: 200,
    errors: [],
  }),
  beginActing: operation({
    id: 'beginActing',
    method: 'POST',
    path: '/v1/admin/acting',
    who: 'admin',
    fresh: true,
    summary: 'Lets this session read as a customer for half an hour; it ends acting as another one',
    input: z.object({
      user_id: id,
      reason: z.string().check(z.minLength(1), z.maxLength(maxActingReason), z.regex(/\S/)),
    }),
    output: acts,
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
  endActing: operation({
    id: 'endActing',
    method: 'DELETE',
    path: '/v1/admin/acting',
    who: 'admin',
    summary: 'Ends acting as a customer',
    input: nothing,
    output: nothing,
    status: 200,
    errors: ['invalid_state'],
  }),
}
