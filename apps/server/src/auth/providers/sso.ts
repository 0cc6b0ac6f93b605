/**
 * Single sign-on by SAML: out to the identity provider with a request of ours, and back with an answer to it. Each visit
 * works once and for two minutes. An answer that nobody here asked for is refused: it could be somebody else's, slipped
 * to a browser.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Body, readBody } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { takeToken } from '../limits.ts'
import { type Challenge, readChallenge } from '../codes/pkce.ts'
import { isAllowedRedirect } from '../redirect.ts'
import type { AuthServices, Visitor } from '../services.ts'
import { admit, ssoPrefix } from './admit.ts'
import { type Connection, findConnection, findConnectionByDomain } from './connections.ts'
import { stateHash } from './flows.ts'
import { returnWithError, returnWithSession } from './outcome.ts'
import { samlAnswer, samlRequest } from './saml.ts'
import { assertSaml } from './saml-key.ts'
import { samlPerson } from './saml-person.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function startSso(
  auth: AuthServices,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
): Promise<unknown> {
  assertSaml(auth)
  await takeToken(auth, 'sso', visitor.ip)
  const body = readBody(request)
  const asked = readSso(body)
  const challenge = readChallenge(body)
  const connection = await connectionFor(auth, asked)
  const redirectTo = body.text('redirect_to', 2048)
  const state = randomUUID()
  const { url, requestId } = await samlRequest(auth, connection, state)
  await saveRelayState(auth, {
    state,
    connection,
    requestId,
    challenge,
    redirectTo: isAllowedRedirect(redirectTo, auth) ? redirectTo : visitor.redirectTo,
  })
  return body.flag('skip_http_redirect', false) ? { url } : reply.redirect(url, 303)
}

function readSso(body: Body): { id: string; domain: string } {
  const id = body.text('provider_id')
  const domain = body.text('domain')
  if (id && domain) throw invalid('Only one of provider_id or domain supported')
  if (!id && !domain) throw invalid('A provider_id or domain needs to be provided')
  return { id, domain }
}

async function connectionFor(
  { database: { kysely: db } }: AuthServices,
  { id, domain }: { id: string; domain: string },
): Promise<Connection> {
  const found = domain
    ? await findConnectionByDomain(db, domain)
    : uuid.test(id)
      ? await findConnection(db, id)
      : null
  if (!found)
    throw new AuthError(
      404,
      'sso_provider_not_found',
      domain ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
    )
  assertEnabled(found)
  return found
}

function assertEnabled({ disabled }: Connection): void {
  if (disabled)
    throw new AuthError(
      404,
      'sso_provider_disabled',
      'SSO Provider assigned for this domain is currently disabled',
    )
}

interface NewRelayState {
  readonly state: string
  readonly connection: Connection
  readonly requestId: string
  readonly challenge: Challenge | null
  readonly redirectTo: string
}

async function saveRelayState({ database, settings }: AuthServices, relay: NewRelayState): Promise<void> {
  await sql`
    with swept as (delete from auth_relay_state where expires_at < now() - interval '1 hour')
    insert into auth_relay_state (state_hash, sso_provider_id, request_id, redirect_to, code_challenge,
      code_challenge_method, expires_at)
    values (${stateHash(relay.state)}, ${relay.connection.id}, ${relay.requestId}, ${relay.redirectTo},
      ${relay.challenge?.challenge ?? null}, ${relay.challenge?.method ?? null},
      now() + ${settings.relayStateLifeSeconds} * interval '1 second')`.execute(database.kysely)
}

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

/** Gone once taken, whatever comes of it. */
async function takeRelayState({ database }: AuthServices, state: string): Promise<RelayState> {
  if (!uuid.test(state)) throw invalid('SAML RelayState is not a valid UUID')
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

/** POST /sso/saml/acs: where the identity provider's page sends the browser. The browser is always sent on. */
export async function finishSso(
  auth: AuthServices,
  request: FastifyRequest,
  form: URLSearchParams,
  visitor: Visitor,
): Promise<string> {
  assertSaml(auth)
  await takeToken(auth, 'saml_acs', visitor.ip)
  let redirectTo = auth.siteUrl
  try {
    const relay = await takeRelayState(auth, form.get('RelayState') ?? '')
    if (isAllowedRedirect(relay.redirectTo, auth)) redirectTo = relay.redirectTo
    const connection = (await findConnection(auth.database.kysely, relay.connectionId))!
    assertEnabled(connection)
    const answer = form.get('SAMLResponse') ?? ''
    const profile = await samlAnswer(auth, connection, relay.requestId, answer).catch((error: unknown) => {
      if (error instanceof AuthError) throw error
      request.log.warn(
        { sso_provider_id: connection.id, reason: (error as Error).message },
        'a SAML answer was refused',
      )
      throw invalid('SAML Assertion is not valid')
    })
    const person = samlPerson(profile, connection)
    const back = { redirectTo, challenge: relay.challenge, method: 'sso/saml', ssoProviderId: connection.id }
    return await returnWithSession(auth, visitor, back, tx =>
      admit(tx, auth, `${ssoPrefix}${connection.id}`, person, redirectTo),
    )
  } catch (error) {
    if (error instanceof AuthError) return returnWithError(redirectTo, error)
    throw error
  }
}
