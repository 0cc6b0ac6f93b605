/** Who the account belongs to, beyond signing in. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from './operation.ts'

export const jobRoles = ['developer', 'data-scientist', 'ml-engineer', 'researcher', 'cto', 'other'] as const
export const useCases = {
  training: 'AI Model Training',
  inference: 'Model Inference',
  research: 'Research & Development',
  production: 'Production Deployment',
  learning: 'Learning & Experimentation',
} as const
export const useCaseIds = Object.keys(useCases) as [keyof typeof useCases, ...(keyof typeof useCases)[]]

const text = z.string().check(z.maxLength(120))
const fields = {
  first_name: text,
  last_name: text,
  company: text,
  role: z.union([z.enum(jobRoles), z.literal('')]),
  use_case: z.union([z.enum(useCaseIds), z.literal('')]),
}

export const profile = z.object({
  user_id: id,
  first_name: z.string(),
  last_name: z.string(),
  company: z.string(),
  /** A job, not a permission. */
  role: z.string(),
  use_case: z.string(),
  /** Set by the server. */
  plan_name: z.string(),
  created_at: timestamp,
})
export type Profile = z.infer<typeof profile>

export const userRoles = ['user', 'moderator', 'admin'] as const
export type UserRole = (typeof userRoles)[number]

export const accounts = {
  profile: operation({
    id: 'getProfile',
    method: 'GET',
    path: '/v1/profile',
    who: 'user',
    summary: 'Your profile',
    input: nothing,
    output: profile,
    status: 200,
    errors: [],
  }),
  update: operation({
    id: 'updateProfile',
    method: 'PATCH',
    path: '/v1/profile',
    who: 'user',
    summary: 'Change the fields you send; the plan is not among them',
    input: z.partial(z.object(fields)),
    output: profile,
    status: 200,
    errors: [],
  }),
  userRole: operation({
    id: 'get_user_role',
    method: 'GET',
    path: '/v1/profile/user-role',
    who: 'user',
    summary: 'Your permission role',
    input: nothing,
    output: z.object({ role: z.enum(userRoles) }),
    status: 200,
    errors: [],
  }),
}
