/** Automated replies to tickets: whether they are written, by what, and what came of them. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from '../operation.ts'

/** Smart Mode leaves tickets to staff while one of them was there within so many minutes. */
export const staffQuietMinutes = 10
/** What each of them begins with, before an empty line. */
export const automatedLead = '🤖 Automated reply, not written by a person.'

export const aiSettings = z.object({
  enabled: z.boolean(),
  /** Override Mode: also while staff are there. Only while enabled. */
  force_enabled: z.boolean(),
  mode: z.enum(['off', 'smart', 'override']),
  /** Null: nobody has changed them yet, or that account is gone. */
  updated_by: z.nullable(id),
  updated_by_email: z.nullable(z.string()),
  updated_at: z.nullable(timestamp),
  /** `facts`: put together from the documentation and the customer's own rows. `model`: a model writes from the same. */
  writer: z.enum(['facts', 'model']),
  model: z.nullable(z.string()),
  /** Where the model is. */
  model_host: z.nullable(z.string()),
  /** Of the last 30 days. */
  counts: z.object({
    answered: z.int(),
    /** Of these, as a model wrote them. */
    by_model: z.int(),
    /** Said that they do not know. */
    unknown: z.int(),
    /** Left to a person: asked for, or beyond a limit. */
    handed_over: z.int(),
    /** What a model wrote and the guard did not let through. */
    refused: z.int(),
  }),
})
export type AiSettings = z.infer<typeof aiSettings>

export const aiReplies = {
  getAiSettings: operation({
    id: 'getAiSettings',
    method: 'GET',
    path: '/v1/admin/ai-settings',
    who: 'admin',
    summary: 'Whether tickets get automated replies, what writes them, and what came of them',
    input: nothing,
    output: aiSettings,
    status: 200,
    errors: [],
  }),
  setAiSettings: operation({
    id: 'setAiSettings',
    method: 'PUT',
    path: '/v1/admin/ai-settings',
    who: 'admin',
    summary: 'Switch automated replies on or off; off ends Override Mode too',
    input: z.object({
      enabled: z.boolean(),
      /** Absent: as it is, while enabled. */
      force_enabled: z.optional(z.boolean()),
    }),
    output: aiSettings,
    status: 200,
    errors: [],
  }),
}
