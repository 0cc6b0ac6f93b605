/**
 * POST /sso: sends a browser to the identity provider of a SAML connection, with a request of ours. Each visit works
 * once and for two minutes.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { isId } from '@ingot/contracts/operation'
import { type Body, readBody } from '../../body.ts'
import { type Challenge, readChallenge } from '../../codes/pkce.ts'
import { AuthError, invalid } from '../../errors.ts'
import { takeToken } from '../../limits.ts'
import { allowedRedirect } from '../../redirect.ts'
import type { AuthSettings } from '../../settings.ts'
import type { Visitor } from '../../visitor.ts'
import { stateHash } from '../flows.ts'
import { type Connection, findConnection, findConnectionByDomain } from './queries.ts'
import { assertEnabled, assertSaml } from './saml-on.ts'
import { type SamlNeeds, samlRequest } from './saml.ts'

export async function startSso(
  needs: SamlNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
): Promise<unknown> {
  assertSaml(needs)
  await takeToken(needs, 'sso', visitor.ip)
  const body = readBody(request)
  const asked = readSso(body)
  const challenge = readChallenge(body)
  const connection = await connectionFor(needs, asked)
  const redirectTo = body.text('redirect_to', 2048)
  const state = randomUUID()
  const { url, requestId } = await samlRequest(needs, connection, state)
  await saveRelayState(needs, {
    state,
    connection,
    requestId,
    challenge,
    redirectTo: allowedRedirect(redirectTo, needs) ?? visitor.redirectTo,
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
  { database: { kysely: db } }: { database: Database },
  { id, domain }: { id: string; domain: string },
): Promise<Connection> {
  const found = domain
    ? await findConnectionByDomain(db, domain)
    : isId(id)
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

interface NewRelayState {
  readonly state: string
  readonly connection: Connection
  readonly requestId: string
  readonly challenge: Challenge | null
  readonly redirectTo: string
}

async function saveRelayState(
  { database, settings }: { database: Database; settings: AuthSettings },
  relay: NewRelayState,
): Promise<void> {
  await sql`
    with swept as (delete from auth_relay_state where expires_at < now() - interval '1 hour')
    insert into auth_relay_state (state_hash, sso_provider_id, request_id, redirect_to, code_challenge,
      code_challenge_method, expires_at)
    values (${stateHash(relay.state)}, ${relay.connection.id}, ${relay.requestId}, ${relay.redirectTo},
      ${relay.challenge?.challenge ?? null}, ${relay.challenge?.method ?? null},
      now() + ${settings.relayStateLifeSeconds} * interval '1 second')`.execute(database.kysely)
}
