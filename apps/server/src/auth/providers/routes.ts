/** The calls about other providers, under the auth service's path. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AuthError } from '../errors.ts'
import { type AuthServices, visitorOf } from '../services.ts'
import { authorize } from './authorize.ts'
import { arrive } from './callback.ts'
import { requireLinking, unlinkIdentity } from './identities.ts'
import { returnWithError } from './outcome.ts'
import { ownMetadata } from './saml.ts'
import { assertSaml } from './saml-key.ts'
import { finishSso, startSso } from './sso.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

// Codes and states belong in no log, and nothing but a browser may use one up.
const quiet = { exposeHeadRoute: false, logLevel: 'warn' } as const

export function registerProviders(scope: FastifyInstance, auth: AuthServices): void {
  const leave: Handler = async (request, reply) => {
    const visitor = visitorOf(request, auth)
    const place = await authorize(auth, request, visitor, null).then(
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
    return reply.redirect(await arrive(auth, request, answer, visitorOf(request, auth)), 302)
  }
  scope.route({ method: 'GET', url: '/authorize', handler: leave, ...quiet })
  scope.route({ method: ['GET', 'POST'], url: '/callback', handler: comeBack, ...quiet })
  identityCalls(scope, auth)
  ssoCalls(scope, auth)
}

function identityCalls(scope: FastifyInstance, auth: AuthServices): void {
  const leave: Handler = async (request, reply) => {
    const { session } = await requireLinking(request, auth)
    const { href } = await authorize(auth, request, visitorOf(request, auth), session.id)
    const { skip_http_redirect: skip } = request.query as { skip_http_redirect?: unknown }
    return skip === 'true' ? { url: href } : reply.redirect(href, 302)
  }
  const unlink: Handler = async request => {
    const { user } = await requireLinking(request, auth)
    return unlinkIdentity(auth, user.id, (request.params as { id: string }).id)
  }
  scope.route({ method: 'GET', url: '/user/identities/authorize', handler: leave, ...quiet })
  scope.route({ method: 'DELETE', url: '/user/identities/:id', handler: unlink })
}

function ssoCalls(scope: FastifyInstance, auth: AuthServices): void {
  const leave: Handler = (request, reply) => startSso(auth, request, reply, visitorOf(request, auth))
  const comeBack: Handler = async (request, reply) =>
    reply.redirect(await finishSso(auth, request, formOf(request), visitorOf(request, auth)), 303)
  const metadata: Handler = async (request, reply) => {
    assertSaml(auth)
    const { download } = request.query as { download?: unknown }
    if (download === 'true') void reply.header('content-disposition', 'attachment; filename="metadata.xml"')
    return reply.type('application/samlmetadata+xml').send(await ownMetadata(auth))
  }
  scope.route({ method: 'POST', url: '/sso', handler: leave })
  scope.route({ method: 'POST', url: '/sso/saml/acs', handler: comeBack, ...quiet })
  scope.route({ method: 'GET', url: '/sso/saml/metadata', handler: metadata })
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URL(request.url, 'http://query').searchParams

const formOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
