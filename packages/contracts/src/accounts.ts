/** Who the account belongs to, beyond signing in. */
import * as z from 'zod/mini'
import { id, nothing, operation, page, paging, timestamp, usd } from './operation.ts'

export const jobRoles = ['developer', 'data-scientist', 'ml-engineer', 'researcher', 'cto', 'other'] as const
export const useCases = {
  training: 'AI Model Training',
  inference: 'Model Inference',
  research: 'Research & Development',
  production: 'Production Deployment',
  learning: 'Learning & Experimentation',
} as const
export const useCaseIds = Object.keys(useCases) as [keyof typeof useCases, ...(keyof typeof useCases)[]]

export const maxProfileText = 120
const text = z.string().check(z.maxLength(maxProfileText))
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
  /** The first proof of your address took the password away that the account had, and none was set since. */
  password_dropped: z.boolean(),
  created_at: timestamp,
})
export type Profile = z.infer<typeof profile>

export const userRoles = ['user', 'moderator', 'admin'] as const
export type UserRole = (typeof userRoles)[number]

export const autoShutdownMinutes = { min: 5, max: 480 } as const
const settingFields = {
  email_notifications: z.boolean(),
  sms_notifications: z.boolean(),
  marketing_emails: z.boolean(),
  security_alerts: z.boolean(),
  usage_alerts: z.boolean(),
  auto_shutdown_enabled: z.boolean(),
  auto_shutdown_minutes: z
    .int()
    .check(z.minimum(autoShutdownMinutes.min), z.maximum(autoShutdownMinutes.max)),
}
export const userSettings = z.object(settingFields)
export type UserSettings = z.infer<typeof userSettings>
export const defaultUserSettings: UserSettings = {
  email_notifications: true,
  sms_notifications: false,
  marketing_emails: false,
  security_alerts: true,
  usage_alerts: true,
  auto_shutdown_enabled: true,
  auto_shutdown_minutes: 60,
}

export const apiKeyPrefix = 'ingot_'
export const defaultApiKeyName = 'Default API Key'
export const maxApiKeyName = 80
const apiKeyFields = {
  id,
  name: z.string(),
  /** `ingot_…` and the last four characters. */
  masked: z.string(),
  created_at: timestamp,
  /** To the minute. */
  last_used_at: z.nullable(timestamp),
}
export const apiKey = z.object(apiKeyFields)
export type ApiKey = z.infer<typeof apiKey>

export const loginSession = z.object({
  id,
  device: z.string(),
  browser: z.string(),
  ip: z.nullable(z.string()),
  created_at: timestamp,
  last_active_at: timestamp,
  /** True for the session that makes this call. */
  is_current: z.boolean(),
  aal: z.enum(['aal1', 'aal2']),
})
export type LoginSession = z.infer<typeof loginSession>

/** Of a new password, unless the operator asks for a longer one. Bytes, because more could not be moved to or from services that hash with bcrypt. */
export const passwordLimits = { minCharacters: 6, maxBytes: 72 } as const
export const maxEmailLength = 255
/** Between two mails to one address, and between two messages to one phone, unless the operator says otherwise. */
export const messageSpacingSeconds = 60

/** What must be typed, letter by letter, to delete an account and to give up what its wallet holds. */
export const deleteWord = 'DELETE'
export const forfeitWord = 'FORFEIT'
/** Letters that are taken where such a word is typed. */
export const maxConfirmation = 40
/** Network volumes and snapshots of a deleted account are destroyed this long after. */
export const volumeGraceDays = 7
export const deletionBlocks = ['hold', 'withdrawal'] as const
export type DeletionBlock = (typeof deletionBlocks)[number]
export const balanceChoices = ['refund', 'forfeit'] as const
export type BalanceChoice = (typeof balanceChoices)[number]

export const accountDeletion = z.object({
  balance_usd: usd,
  /** All instances; `running` says how many of them run. */
  instances: z.int(),
  running: z.int(),
  volumes: z.int(),
  snapshots: z.int(),
  volume_grace_days: z.int(),
  /** Money that is on its way and must arrive first; deleting is refused while there is any. */
  blocked_by: z.array(z.enum(deletionBlocks)),
  /** `aal2`: a second factor is enrolled, and a session that passed it is the proof; no password is asked for. */
  proof: z.enum(['password', 'aal2']),
})
export type AccountDeletion = z.infer<typeof accountDeletion>

/** How the owner of a session shows once more that it is them. */
export const proof = z.object({
  /** `factor`: one is enrolled, and the auth service takes it; the password is not asked for then. */
  by: z.enum(['password', 'factor']),
  /** Null: it has not been proven, or too long ago for what asks for it. */
  fresh_until: z.nullable(timestamp),
})
export type Proof = z.infer<typeof proof>

/** Who of staff did something, as the customer sees them: never which of them. */
export const staffKinds = ['moderator', 'administrator', 'operator', 'system'] as const
/** What differs: null is nothing. Both are null where the account that it was about is erased. */
export const auditChange = z.object({
  field: z.string(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
})
export type AuditChange = z.infer<typeof auditChange>
export const staffAct = z.object({
  id: z.string(),
  at: timestamp,
  by: z.enum(staffKinds),
  /** The call's id; null where somebody who runs the service wrote to the database. */
  operation: z.nullable(z.string()),
  subject_kind: z.string(),
  reason: z.nullable(z.string()),
  changes: z.array(auditChange),
})
export type StaffAct = z.infer<typeof staffAct>

export const accounts = {
  profile: operation({
    id: 'getProfile',
    method: 'GET',
    path: '/v1/profile',
    who: 'user',
    actable: true,
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
    actable: true,
    summary: 'Your permission role',
    input: nothing,
    output: z.object({ role: z.enum(userRoles) }),
    status: 200,
    errors: [],
  }),
  settings: operation({
    id: 'getSettings',
    method: 'GET',
    path: '/v1/settings',
    who: 'user',
    actable: true,
    summary: 'Your notification and instance preferences',
    input: nothing,
    output: userSettings,
    status: 200,
    errors: [],
  }),
  updateSettings: operation({
    id: 'updateSettings',
    method: 'PATCH',
    path: '/v1/settings',
    who: 'user',
    summary: 'Change the preferences you send',
    input: z.partial(z.object(settingFields)),
    output: userSettings,
    status: 200,
    errors: [],
  }),
  apiKey: operation({
    id: 'getApiKey',
    method: 'GET',
    path: '/v1/api-key',
    who: 'user',
    summary: 'Your API key, masked; null when there is none',
    input: nothing,
    output: z.object({ key: z.nullable(apiKey) }),
    status: 200,
    errors: [],
  }),
  generateApiKey: operation({
    id: 'generate_api_key',
    method: 'POST',
    path: '/v1/api-key',
    who: 'session',
    summary: 'A new API key; the one before stops working at once',
    transaction: false,
    input: z.object({
      name: z._default(z.string().check(z.minLength(1), z.maxLength(maxApiKeyName)), defaultApiKeyName),
    }),
    output: z.object({ ...apiKeyFields, key_value: z.string() }),
    status: 201,
    errors: [],
  }),
  revealApiKey: operation({
    id: 'revealApiKey',
    method: 'POST',
    path: '/v1/api-key/reveal',
    who: 'session',
    duringMaintenance: true,
    summary: 'Your API key in full; that you looked is recorded',
    transaction: false,
    input: nothing,
    output: z.object({ key_value: z.string() }),
    status: 200,
    errors: ['not_found'],
  }),
  revokeApiKey: operation({
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-key',
    who: 'session',
    duringMaintenance: true,
    summary: 'Ends your API key; programs that use it are refused at once',
    input: nothing,
    output: nothing,
    status: 200,
    errors: [],
  }),
  sessions: operation({
    id: 'listSessions',
    method: 'GET',
    path: '/v1/sessions',
    who: 'session',
    summary: 'Where you are signed in: this session first, then by last activity',
    input: z.object(paging),
    output: page(loginSession),
    status: 200,
    errors: [],
  }),
  endSession: operation({
    id: 'endSession',
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    who: 'session',
    duringMaintenance: true,
    summary: 'Signs one of your other sessions out at once',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  endOtherSessions: operation({
    id: 'endOtherSessions',
    method: 'POST',
    path: '/v1/sessions/end-others',
    who: 'session',
    duringMaintenance: true,
    summary: 'Signs every session but this one out',
    input: nothing,
    output: z.object({ ended: z.int() }),
    status: 200,
    errors: [],
  }),
  proof: operation({
    id: 'getProof',
    method: 'GET',
    path: '/v1/account/proof',
    who: 'session',
    summary: 'How this session can prove that it is yours, and until when it has',
    input: nothing,
    output: proof,
    status: 200,
    errors: [],
  }),
  prove: operation({
    id: 'proveOwner',
    method: 'POST',
    path: '/v1/account/proof',
    who: 'session',
    summary: 'Proves by your password that this session is yours; with a second factor, verify that instead',
    transaction: false,
    input: z.object({ password: z.string().check(z.minLength(1), z.maxLength(1024)) }),
    output: proof,
    status: 200,
    errors: ['invalid_state'],
  }),
  staffActs: operation({
    id: 'listStaffActs',
    method: 'GET',
    path: '/v1/account/staff-acts',
    who: 'session',
    actable: true,
    summary: 'What our staff did to your account and looked at, and why, newest first',
    input: z.object(paging),
    output: page(staffAct),
    status: 200,
    errors: [],
  }),
  deletion: operation({
    id: 'getAccountDeletion',
    method: 'GET',
    path: '/v1/account/deletion',
    who: 'session',
    summary: 'What deleting your account would mean now',
    input: nothing,
    output: accountDeletion,
    status: 200,
    errors: [],
  }),
  deleteAccount: operation({
    id: 'deleteAccount',
    method: 'POST',
    path: '/v1/account/delete',
    who: 'session',
    summary: 'Deletes your account: instances are destroyed, personal data is erased, and nobody can undo it',
    transaction: false,
    input: z.object({
      confirmation: z.string().check(z.maxLength(maxConfirmation)),
      password: z.optional(z.string().check(z.maxLength(1024))),
      balance: z.optional(z.enum(balanceChoices)),
      forfeit_confirmation: z.optional(z.string().check(z.maxLength(maxConfirmation))),
    }),
    output: nothing,
    status: 200,
    errors: ['invalid_state'],
  }),
}
