/**
 * Every error code of `/v1`, with its status and the text a person reads. Clients match codes, never text.
 * The auth service under `/auth/v1` has its own shape and table.
 */
import * as z from 'zod/mini'

export const errors = {
  validation_failed: [422, 'Some fields need another value'],
  bad_json: [400, 'The request body is not valid JSON'],
  body_too_large: [413, 'The request body is too large'],
  not_authenticated: [401, 'Sign in to do this'],
  mfa_required: [403, 'Enter the code of your second factor to go on'],
  factor_required: [403, 'Administration needs a second factor here. Set one up in your settings first'],
  proof_required: [403, 'Confirm that it is you first: with your second factor or your password'],
  not_while_acting: [403, 'You act as a customer: this is not shown, and nothing can be changed'],
  acting_ended: [403, 'Your time as this customer is over'],
  not_allowed: [403, 'Your role does not allow this'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'This address does not take that method'],
  insufficient_funds: [402, 'Insufficient funds in wallet'],
  budget_exceeded: [409, 'A budget does not cover this'],
  wallet_not_created: [503, 'Failed to create wallet'],
  price_changed: [409, 'The price has changed since it was shown. Nothing was charged'],
  range_not_satisfiable: [416, 'This part lies behind the end of the file'],
  invalid_state: [409, 'This is not possible in its present state'],
  last_administrator: [409, 'There must be another administrator first'],
  idempotency_key_reused: [409, 'This Idempotency-Key was used with different input'],
  no_capacity: [409, 'No machine is free for this right now'],
  hardware_not_offered: [409, 'This is not on sale here'],
  rate_limited: [429, 'Too many requests. Try again shortly'],
  internal: [500, 'Something failed on our side. Nothing was changed'],
  maintenance: [503, 'The service is in maintenance. Nothing was changed. Try again later'],
  unavailable: [503, 'The service is starting or stopping. Try again shortly'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof errors

/** The body of every `/v1` error. `fields` maps an input field to what is wrong with it. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    fields: z.optional(z.record(z.string(), z.string())),
    request_id: z.string(),
  }),
})
export type ErrorBody = z.infer<typeof errorBody>

/** Thrown by commands and turned into `errorBody` by the HTTP layer; the SDK throws the same class to its caller. */
export class IngotError extends Error {
  override readonly name = 'IngotError'
  readonly code: ErrorCode
  readonly status: number
  readonly fields: Record<string, string> | undefined
  readonly requestId: string | undefined
  /** When to try again; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      fields?: Record<string, string>
      requestId?: string
      retryAfterSeconds?: number
    } = {},
  ) {
    super(options.message ?? errors[code][1])
    this.code = code
    this.status = errors[code][0]
    this.fields = options.fields
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
