/**
 * Every way a call of the auth service can fail, in the two shapes that its clients know: by error code since API version
 * 2024-01-01 (and the response says so), with the HTTP status as `code` before. Clients match `error_code`, never text.
 * A refusal is never a 5xx: clients would retry it.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

export type AuthErrorCode =
  | 'anonymous_provider_disabled'
  | 'bad_code_verifier'
  | 'bad_json'
  | 'bad_jwt'
  | 'conflict'
  | 'current_password_invalid'
  | 'current_password_required'
  | 'email_exists'
  | 'email_not_confirmed'
  | 'email_provider_disabled'
  | 'flow_state_expired'
  | 'flow_state_not_found'
  | 'invalid_credentials'
  | 'manual_linking_disabled'
  | 'mfa_factor_not_found'
  | 'mfa_phone_enroll_not_enabled'
  | 'mfa_totp_enroll_not_enabled'
  | 'mfa_webauthn_enroll_not_enabled'
  | 'no_authorization'
  | 'not_admin'
  | 'otp_expired'
  | 'over_email_send_rate_limit'
  | 'over_request_rate_limit'
  | 'phone_provider_disabled'
  | 'provider_disabled'
  | 'refresh_token_already_used'
  | 'refresh_token_not_found'
  | 'request_entity_too_large'
  | 'request_timeout'
  | 'same_password'
  | 'saml_provider_disabled'
  | 'session_not_found'
  | 'signup_disabled'
  | 'unexpected_failure'
  | 'unknown'
  | 'user_already_exists'
  | 'user_banned'
  | 'user_not_found'
  | 'validation_failed'
  | 'weak_password'
  | 'web3_provider_disabled'

export type WeakReason = 'length' | 'characters' | 'pwned'

export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly status: number
  readonly code: AuthErrorCode
  /** Why a password is weak. */
  readonly reasons: readonly WeakReason[] | undefined

  constructor(status: number, code: AuthErrorCode, message: string, reasons?: readonly WeakReason[]) {
    super(message)
    this.status = status
    this.code = code
    this.reasons = reasons
  }
}

export const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)

export function toAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AuthError(413, 'request_entity_too_large', 'Request body is larger than 1 MiB')
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new AuthError(504, 'request_timeout', 'Processing this request timed out, please retry')
  }
  if (statusCode && statusCode < 500) return new AuthError(400, 'bad_json', 'Could not read the request body')
  return new AuthError(500, 'unexpected_failure', 'Something failed on our side. Nothing was changed')
}

const versionHeader = 'x-supabase-api-version'
const version = '2024-01-01'

/** Dates compare as text. */
function knowsCodes(request: FastifyRequest): boolean {
  const asked = request.headers[versionHeader]
  return typeof asked === 'string' && /^\d{4}-\d\d-\d\d$/.test(asked) && asked >= version
}

export function sendAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAuthError(error)
  if (known.status >= 500) request.log.error({ err: error }, 'request failed')
  const weak = known.reasons && { weak_password: { reasons: known.reasons } }
  void reply.code(known.status).header('x-sb-error-code', known.code)
  if (knowsCodes(request)) {
    void reply.header(versionHeader, version).send({ code: known.code, message: known.message, ...weak })
    return
  }
  void reply.send({
    code: known.status,
    error_code: known.code,
    msg: known.message,
    ...(known.status >= 500 ? { error_id: request.id } : {}),
    ...weak,
  })
}
