/**
 * Calls of features that this service does not offer. Clients ask for them and expect their refusal: who calls first,
 * then that it is off.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refusePhone } from './addresses.ts'
import { readBody } from './body.ts'
import { AuthError, type AuthErrorCode, invalid } from './errors.ts'
import type { AuthServices } from './services.ts'
import { readBearer, requireSession } from './session.ts'

const factorTypes: Readonly<Record<string, readonly [AuthErrorCode, string]>> = {
  totp: ['mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP'],
  phone: ['mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'],
  webauthn: ['mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn'],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Handler = (request: FastifyRequest) => Promise<never>

const noSaml: Handler = () =>
  Promise.reject(new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled'))

const noOtp: Handler = async request => {
  const phone = readBody(request).text('phone', 64)
  if (phone) refusePhone(phone, 400, 'Unsupported phone provider')
  throw new AuthError(422, 'email_provider_disabled', 'Signing in by mail is not offered')
}

const noRecovery: Handler = () =>
  Promise.reject(new AuthError(400, 'email_provider_disabled', 'Password recovery by mail is not offered'))

const noProvider: Handler = () => Promise.reject(invalid('Unsupported provider: provider is not enabled'))

export function refuseDisabled(scope: FastifyInstance, auth: AuthServices): void {
  scope.route({ method: 'POST', url: '/sso', handler: noSaml })
  scope.route({ method: 'GET', url: '/sso/saml/metadata', handler: noSaml })
  scope.route({ method: 'POST', url: '/sso/saml/acs', handler: noSaml })
  scope.route({ method: 'POST', url: '/otp', handler: noOtp })
  scope.route({ method: 'POST', url: '/recover', handler: noRecovery })
  scope.route({ method: 'GET', url: '/authorize', handler: noProvider })

  const noLinking: Handler = async request => {
    await requireSession(request, auth)
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  }
  scope.route({ method: 'GET', url: '/user/identities/authorize', handler: noLinking })
  scope.route({ method: 'DELETE', url: '/user/identities/:id', handler: noLinking })

  refuseFactors(scope, auth)
  refuseAdmin(scope, auth)
}

/** Nobody has a second factor, so every one of them is unknown. */
function refuseFactors(scope: FastifyInstance, auth: AuthServices): void {
  const noEnrolment: Handler = async request => {
    await requireSession(request, auth)
    const type = readBody(request).text('factor_type', 64)
    const known = Object.hasOwn(factorTypes, type) ? factorTypes[type] : undefined
    if (!known) throw invalid('factor_type needs to be totp, phone, or webauthn')
    throw new AuthError(422, known[0], known[1])
  }
  const noFactor: Handler = async request => {
    await requireSession(request, auth)
    const { id } = request.params as { id: string }
    if (!uuid.test(id)) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID')
    throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  }
  scope.route({ method: 'POST', url: '/factors', handler: noEnrolment })
  scope.route({ method: 'POST', url: '/factors/:id/challenge', handler: noFactor })
  scope.route({ method: 'POST', url: '/factors/:id/verify', handler: noFactor })
  scope.route({ method: 'DELETE', url: '/factors/:id', handler: noFactor })
}

/** No token with an administrator's role of this service is ever made. */
function refuseAdmin(scope: FastifyInstance, auth: AuthServices): void {
  const notAdmin: Handler = async request => {
    const bearer = readBearer(request)
    if (!bearer) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
    await auth.tokens.verify(bearer)
    throw new AuthError(403, 'not_admin', 'User not allowed')
  }
  scope.route({ method: 'POST', url: '/invite', handler: notAdmin })
  scope.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/admin/*', handler: notAdmin })
}

/** Grants of POST /token that are off, or that do not exist. */
export function refuseGrant(grantType: string, request: FastifyRequest): never {
  if (grantType === 'web3') throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  if (grantType !== 'id_token') throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
  const provider = readBody(request).text('provider', 64)
  throw new AuthError(
    400,
    'provider_disabled',
    `Provider (issuer ${JSON.stringify(provider)}) is not enabled`,
  )
}
