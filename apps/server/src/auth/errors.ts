/**
 * Every way a call of the auth service can fail, in the two shapes that its clients know: by error code since API
 * version 2024-01-01 (and the response says so), with the HTTP status as `code` before. Clients match `error_code`,
 * never text. A refusal is never a 5xx: clients would retry it.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

export type AuthErrorCode =
  | 'anonymous_provider_disabled'
  | 'bad_code_verifier'
  | 'bad_json'
  | 'bad_jwt'
  | 'bad_oauth_callback'
  | 'bad_oauth_state'
  | 'conflict'
  | 'current_password_invalid'
  | 'current_password_required'
  | 'email_address_not_provided'
  | 'email_conflict_identity_not_deletable'
  | 'email_exists'
  | 'email_not_confirmed'
  | 'email_provider_disabled'
  | 'feature_disabled'
  | 'flow_state_already_used'
  | 'flow_state_expired'
  | 'flow_state_not_found'
  | 'insufficient_aal'
  | 'identity_already_exists'
  | 'identity_not_found'
  | 'invalid_credentials'
  | 'manual_linking_disabled'
  | 'mfa_challenge_expired'
  | 'mfa_factor_name_conflict'
  | 'mfa_factor_not_found'
  | 'mfa_ip_address_mismatch'
  | 'mfa_phone_enroll_not_enabled'
  | 'mfa_phone_verify_not_enabled'
  | 'mfa_recovery_codes_enroll_not_enabled'
  | 'mfa_recovery_codes_locked'
  | 'mfa_recovery_codes_sole_factor'
  | 'mfa_recovery_codes_verify_not_enabled'
  | 'mfa_totp_enroll_not_enabled'
  | 'mfa_totp_verify_not_enabled'
  | 'mfa_verification_failed'
  | 'mfa_verified_factor_exists'
  | 'mfa_webauthn_enroll_not_enabled'
  | 'mfa_webauthn_verify_not_enabled'
  | 'no_authorization'
  | 'not_admin'
  | 'otp_disabled'
  | 'otp_expired'
  | 'over_email_send_rate_limit'
  | 'over_request_rate_limit'
  | 'over_sms_send_rate_limit'
  | 'phone_provider_disabled'
  | 'phone_exists'
  | 'phone_not_confirmed'
  | 'provider_disabled'
  | 'provider_email_needs_verification'
  | 'reauthentication_needed'
  | 'reauthentication_not_valid'
  | 'refresh_token_already_used'
  | 'refresh_token_not_found'
  | 'request_entity_too_large'
  | 'request_timeout'
  | 'same_password'
  | 'saml_assertion_no_email'
  | 'saml_assertion_no_user_id'
  | 'saml_entity_id_mismatch'
  | 'saml_idp_already_exists'
  | 'saml_metadata_fetch_failed'
  | 'saml_provider_disabled'
  | 'saml_relay_state_expired'
  | 'saml_relay_state_not_found'
  | 'session_expired'
  | 'session_not_found'
  | 'signup_disabled'
  | 'single_identity_not_deletable'
  | 'sms_send_failed'
  | 'sso_domain_already_exists'
  | 'sso_provider_disabled'
  | 'sso_provider_not_found'
  | 'too_many_enrolled_mfa_factors'
  | 'unexpected_failure'
  | 'unknown'
  | 'user_already_exists'
  | 'user_banned'
  | 'user_not_found'
  | 'user_sso_managed'
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

/** A refusal in the form of OAuth itself (RFC 6749, 5.2), which clients of these calls expect. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.error = error
  }
}

export const invalid = (message: string): AuthError => new AuthError(400, 'validation_failed', message)

export const emailExists = (): AuthError =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered')

export const phoneExists = (): AuthError =>
  new AuthError(422, 'phone_exists', 'A user with this phone number has already been registered')

export const userBanned = (): AuthError => new AuthError(403, 'user_banned', 'User is banned')

/** Two calls about one account met; the same call works when it is made again. */
export const justChanged = (): AuthError =>
  new AuthError(409, 'conflict', 'This account is just being changed, please retry')

export function toAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error
  if (error instanceof IngotError && error.status === 409)
    return new AuthError(409, 'conflict', error.message)
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
  if (error instanceof OAuthError) {
    void reply.code(400).send({ error: error.error, error_description: error.message })
    return
  }
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
