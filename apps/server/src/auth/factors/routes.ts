/** Second factors: enrol, challenge, verify, remove, and codes for the day the phone is lost. */
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { isId } from '@ingot/contracts/operation'
import { type Body, readBody } from '../body.ts'
import { AuthError } from '../errors.ts'
import type { UserRow } from '../queries.ts'
import { type RequireSessionNeeds, requireSession } from '../sessions/require-session.ts'
import { visitorOf } from '../visitor.ts'
import type { FactorCall } from './call.ts'
import { challengeFactor, type ChallengeNeeds } from './challenge-factor.ts'
import { enrollFactor, type EnrollNeeds } from './enroll-factor.ts'
import { type MakeCodesNeeds, makeRecoveryCodes } from './make-recovery-codes.ts'
import { getRecoveryCodesStatus } from './queries.ts'
import { remakeRecoveryCodes } from './remake-recovery-codes.ts'
import { removeFactor, type RemoveNeeds } from './remove-factor.ts'
import { removeRecoveryCodes } from './remove-recovery-codes.ts'
import { verifyFactor, type VerifyFactorNeeds } from './verify-factor.ts'
import { type VerifyCodeNeeds, verifyRecoveryCode } from './verify-recovery-code.ts'

interface FactorsNeeds
  extends
    RequireSessionNeeds,
    EnrollNeeds,
    ChallengeNeeds,
    VerifyFactorNeeds,
    MakeCodesNeeds,
    RemoveNeeds,
    VerifyCodeNeeds {}

type Command = (needs: FactorsNeeds, call: FactorCall) => Promise<object>

const nothing = Buffer.from('{}')

export function registerFactors(scope: FastifyInstance, needs: FactorsNeeds): void {
  const on = (method: HTTPMethods, url: string, command: Command) =>
    scope.route({
      method,
      url,
      handler: async request => {
        const { user, session } = await requireSession(request, needs)
        assertNamed(user)
        const visitor = visitorOf(request, needs)
        return command(needs, {
          user,
          session,
          visitor,
          body: bodyOf(request),
          factorId: factorIdOf(request),
        })
      },
    })
  on('GET', '/factors/recovery-codes', getRecoveryCodesStatus)
  on('POST', '/factors/recovery-codes', makeRecoveryCodes)
  on('DELETE', '/factors/recovery-codes', removeRecoveryCodes)
  on('POST', '/factors/recovery-codes/verify', verifyRecoveryCode)
  on('POST', '/factors/recovery-codes/regenerate', remakeRecoveryCodes)
  on('POST', '/factors', enrollFactor)
  on('POST', '/factors/:id/challenge', challengeFactor)
  on('POST', '/factors/:id/verify', verifyFactor)
  on('DELETE', '/factors/:id', removeFactor)
}

/** Refuses somebody anonymous: without a first factor there is no second. */
function assertNamed(user: UserRow): void {
  if (user.is_anonymous)
    throw new AuthError(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
}

/** Several of these calls need none, and clients then send nothing. */
function bodyOf(request: FastifyRequest): Body {
  const empty = !Buffer.isBuffer(request.body) || request.body.length === 0
  return readBody(empty ? { body: nothing } : request)
}

function factorIdOf(request: FastifyRequest): string {
  const { id = '' } = request.params as { id?: string }
  if (id && !isId(id)) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID')
  return id
}
