/** The calls about other providers, under the auth service's path. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AuthError } from '../errors.ts'
import type { RequireSessionNeeds } from '../sessions/require-session.ts'
import { visitorOf } from '../visitor.ts'
import { arriveFromProvider } from './arrive-from-provider.ts'
import { authorize, type AuthorizeNeeds } from './authorize.ts'
import { finishSso } from './saml/finish-sso.ts'
import { requireLinking } from './require-linking.ts'
import { returnWithError } from './return-with-error.ts'
import type { ReturnNeeds } from './return-with-session.ts'
import { assertSaml } from './saml/saml-on.ts'
import { ownMetadata, type SamlNeeds } from './saml/saml.ts'
import { startSso } from './saml/start-sso.ts'
import { unlinkIdentity } from './unlink-identity.ts'

interface ProvidersNeeds extends RequireSessionNeeds, AuthorizeNeeds, ReturnNeeds, SamlNeeds {}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

// Codes and states belong in no log, and nothing but a browser may use one up.
const quiet = { exposeHeadRoute: false, logLevel: 'warn' } as const

export function registerProviders(scope: FastifyInstance, needs: ProvidersNeeds): void {
  const leave: Handler = async (request, reply) => {
    const visitor = visitorOf(request, needs)
    const place = await authorize(needs, request, visitor, null).then(
      url => url.href,
      // A browser waits here: what is not its fault is told on the page that it came from.
      (error: unknown) => {
        if (error instanceof AuthError && error.status >= 500)
          return returnWithError(visitor.redirectTo, error)
        throw error
      },
    )
    return reply.redirect(place, 302)
  }
  const comeBack: Handler = async (request, reply) => {
    const answer = request.method === 'POST' ? formOf(request) : queryOf(request)
    return reply.redirect(await arriveFromProvider(needs, request, answer, visitorOf(request, needs)), 302)
  }
  scope.route({ method: 'GET', url: '/authorize', handler: leave, ...quiet })
  scope.route({ method: ['GET', 'POST'], url: '/callback', handler: comeBack, ...quiet })
  identityCalls(scope, needs)
  ssoCalls(scope, needs)
}

function identityCalls(scope: FastifyInstance, needs: ProvidersNeeds): void {
  const leave: Handler = async (request, reply) => {
    const { session } = await requireLinking(request, needs)
    const { href } = await authorize(needs, request, visitorOf(request, needs), session.id)
    const { skip_http_redirect: skip } = request.query as { skip_http_redirect?: unknown }
    return skip === 'true' ? { url: href } : reply.redirect(href, 302)
  }
  const unlink: Handler = async request => {
    const { user } = await requireLinking(request, needs)
    return unlinkIdentity(needs, user.id, (request.params as { id: string }).id)
  }
  scope.route({ method: 'GET', url: '/user/identities/authorize', handler: leave, ...quiet })
  scope.route({ method: 'DELETE', url: '/user/identities/:id', handler: unlink })
}

function ssoCalls(scope: FastifyInstance, needs: ProvidersNeeds): void {
  const leave: Handler = (request, reply) => startSso(needs, request, reply, visitorOf(request, needs))
  const comeBack: Handler = async (request, reply) =>
    reply.redirect(await finishSso(needs, request, formOf(request), visitorOf(request, needs)), 303)
  const metadata: Handler = async (request, reply) => {
    assertSaml(needs)
    const { download } = request.query as { download?: unknown }
    if (download === 'true') void reply.header('content-disposition', 'attachment; filename="metadata.xml"')
    return reply.type('application/samlmetadata+xml').send(await ownMetadata(needs))
  }
  scope.route({ method: 'POST', url: '/sso', handler: leave })
  scope.route({ method: 'POST', url: '/sso/saml/acs', handler: comeBack, ...quiet })
  scope.route({ method: 'GET', url: '/sso/saml/metadata', handler: metadata })
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URL(request.url, 'http://query').searchParams

const formOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
