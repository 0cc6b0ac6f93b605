/** What lists and acts of the administration have in common. */
import * as z from 'zod/mini'
import { maxSearchText, paging } from '../operation.ts'
import { maxReason } from '../payments.ts'

export const search = z.optional(z.string().check(z.maxLength(maxSearchText)))
/** Of a list in an order that is chosen: the cursor holds what the last line is ordered by, which may be a name or an address. */
export const orderedPaging = { ...paging, cursor: z.optional(z.string().check(z.maxLength(1_500))) }
export const order = z._default(z.enum(['asc', 'desc']), 'desc')
/** Why it is done: it stands in the audit log, and the customer whom it concerns can read it. */
export const reason = z.string().check(z.maxLength(maxReason), z.regex(/\S/))
