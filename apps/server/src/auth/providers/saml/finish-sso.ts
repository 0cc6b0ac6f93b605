/**
 * POST /sso/saml/acs: where the identity provider's page sends the browser. The browser is always sent on. An answer
 * that nobody here asked for is refused: it could be somebody else's, slipped to a browser.
 */
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { isId } from '@ingot/contracts/operation'
import type { Challenge } from '../../codes/pkce.ts'
import { AuthError, invalid } from '../../errors.ts'
import { takeToken } from '../../limits.ts'
import { allowedRedirect } from '../../redirect.ts'
import type { Visitor } from '../../visitor.ts'
import { admitPerson, ssoPrefix } from '../admit-person.ts'
import { stateHash } from '../flows.ts'
import { findConnection } from './queries.ts'
import { returnWithError } from '../return-with-error.ts'
import { type ReturnNeeds, returnWithSession } from '../return-with-session.ts'
import { assertEnabled, assertSaml } from './saml-on.ts'
import { samlPerson } from './saml-person.ts'
import { samlAnswer, type SamlNeeds } from './saml.ts'

interface RelayState {
  readonly connectionId: string
  readonly requestId: string
  readonly redirectTo: string
  readonly challenge: Challenge | null
}

interface RelayRow {
  sso_provider_id: string
  request_id: string
  redirect_to: string
  code_challenge: string | null
  code_challenge_method: Challenge['method'] | null
  expired: boolean
}

export async function finishSso(
  needs: ReturnNeeds & SamlNeeds,
  request: FastifyRequest,
  form: URLSearchParams,
  visitor: Visitor,
): Promise<string> {
  assertSaml(needs)
  await takeToken(needs, 'saml_acs', visitor.ip)
  let redirectTo = needs.siteUrl
  try {
    const relay = await takeRelayState(needs, form.get('RelayState') ?? '')
    redirectTo = allowedRedirect(relay.redirectTo, needs) ?? redirectTo
    const connection = (await findConnection(needs.database.kysely, relay.connectionId))!
    assertEnabled(connection)
    const answer = form.get('SAMLResponse') ?? ''
    const profile = await samlAnswer(needs, connection, relay.requestId, answer).catch((error: unknown) => {
      if (error instanceof AuthError) throw error
      request.log.warn(
        { sso_provider_id: connection.id, reason: (error as Error).message },
        'a SAML answer was refused',
      )
      throw invalid('SAML Assertion is not valid')
    })
    const person = samlPerson(profile, connection)
    const back = { redirectTo, challenge: relay.challenge, method: 'sso/saml', ssoProviderId: connection.id }
    return await returnWithSession(needs, visitor, back, tx =>
      admitPerson(tx, needs, `${ssoPrefix}${connection.id}`, person, redirectTo),
    )
  } catch (error) {
    if (error instanceof AuthError) return returnWithError(redirectTo, error)
    throw error
  }
}

/** Takes the relay state, which is gone from then on, whatever comes of it. */
async function takeRelayState({ database }: { database: Database }, state: string): Promise<RelayState> {
  if (!isId(state)) throw invalid('SAML RelayState is not a valid UUID')
  const { rows } = await sql<RelayRow>`
    delete from auth_relay_state where state_hash = ${stateHash(state)}
    returning sso_provider_id, request_id, redirect_to, code_challenge, code_challenge_method,
      expires_at < now() as expired`.execute(database.kysely)
  const row = rows[0]
  if (!row)
    throw new AuthError(
      404,
      'saml_relay_state_not_found',
      'SAML RelayState does not exist, try logging in again?',
    )
  if (row.expired)
    throw new AuthError(422, 'saml_relay_state_expired', 'SAML RelayState has expired. Try logging in again?')
  return {
    connectionId: row.sso_provider_id,
    requestId: row.request_id,
    redirectTo: row.redirect_to,
    challenge: row.code_challenge
      ? { challenge: row.code_challenge, method: row.code_challenge_method! }
      : null,
  }
}
