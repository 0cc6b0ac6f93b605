/** Templates of customers that staff look at before everybody sees them. */
import * as z from 'zod/mini'
import { id, operation, page, paging } from '../operation.ts'
import {
  reviewStatuses,
  startCommand,
  templateCategories,
  templateDetails,
  templateReview,
} from '../templates.ts'

/** Proposals of an account that may wait for staff at a time. */
export const maxPendingReviews = 5
export const maxReviewReason = 500

/** A template as it was when it was proposed. Of what is sealed there are the names of secrets alone. */
export const proposedTemplate = z.object({
  name: z.string(),
  description: z.string(),
  category: z.enum(templateCategories),
  docker_image: z.string(),
  env: z.record(z.string(), z.string()),
  secret_names: z.array(z.string()),
  ports: z.array(z.int()),
  start_command: startCommand,
  disk_gb: z.nullable(z.int()),
  readme: z.string(),
})
export type ProposedTemplate = z.infer<typeof proposedTemplate>

export const reviewEntry = z.extend(templateReview, {
  template_id: id,
  user_id: id,
  email: z.nullable(z.string()),
  decided_by: z.nullable(id),
  proposed: proposedTemplate,
  /** What is public of it now; null: nothing is. */
  published: z.nullable(proposedTemplate),
  published_version: z.nullable(z.int()),
})
export type ReviewEntry = z.infer<typeof reviewEntry>

const act = {
  method: 'POST',
  who: 'user',
  input: z.object({ id }),
  output: templateDetails,
  status: 200,
} as const
const decision = {
  method: 'POST',
  who: 'admin',
  output: reviewEntry,
  status: 200,
  errors: ['not_found', 'invalid_state'],
} as const

export const templateReviews = {
  propose: operation({
    ...act,
    id: 'proposeTemplate',
    path: '/v1/templates/{id}/propose',
    summary: 'Propose a template of yours, as it is now, for everybody; staff look at it first',
    errors: ['not_found', 'invalid_state'],
  }),
  withdraw: operation({
    ...act,
    id: 'withdrawTemplate',
    path: '/v1/templates/{id}/withdraw',
    summary: 'Take back a proposal, and take what is public of the template out of the catalogue',
    errors: ['not_found', 'invalid_state'],
  }),
  reviews: operation({
    id: 'listTemplateReviews',
    method: 'GET',
    path: '/v1/admin/templates',
    who: 'admin',
    summary: 'Templates that customers proposed for everybody, newest first, each as it was proposed',
    input: z.object({
      ...paging,
      limit: z._default(z.int().check(z.minimum(1), z.maximum(50)), 20),
      status: z.optional(z.enum(reviewStatuses)),
    }),
    output: page(reviewEntry),
    status: 200,
    errors: [],
  }),
  approve: operation({
    ...decision,
    id: 'approveTemplate',
    path: '/v1/admin/templates/{id}/approve',
    summary: 'Make what was proposed public, in place of what was approved before; `id` is the proposal’s',
    input: z.object({ id }),
  }),
  reject: operation({
    ...decision,
    id: 'rejectTemplate',
    path: '/v1/admin/templates/{id}/reject',
    summary: 'Refuse a proposal, or take what was approved out of the catalogue; `id` is the proposal’s',
    input: z.object({ id, reason: z.string().check(z.maxLength(maxReviewReason), z.regex(/\S/)) }),
  }),
}
