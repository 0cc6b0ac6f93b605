/** The calls of administrators' programs, under the auth service's path. Who calls is always checked first. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inTransaction } from '../../db/database.ts'
import { readBody } from '../body.ts'
import { AuthError } from '../errors.ts'
import { findFactorOf } from '../factors/queries.ts'
import { dropFactor } from '../factors/remove-factor.ts'
import { lockUser, presentFactor, presentUser } from '../queries.ts'
import { type AuthServices, visitorOf } from '../services.ts'
import { adminCreateUser } from './create-user.ts'
import { adminDeleteUser } from './delete-user.ts'
import { findUser, listUsers, noSuchUser } from './find-user.ts'
import { generateLink } from './generate-link.ts'
import { invite } from './invite.ts'
import { requireAdmin } from './require-admin.ts'
import {
  createSsoProvider,
  deleteSsoProvider,
  getSsoProvider,
  listSsoProviders,
  presentConnection,
  updateSsoProvider,
} from './sso-providers.ts'
import { adminUpdateUser } from './update-user.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
/** `by`: the administrator. */
type Call = (request: FastifyRequest, reply: FastifyReply, by: string) => unknown
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id

export function registerAdmin(scope: FastifyInstance, auth: AuthServices): void {
  const route = (method: Method, url: string, run: Call) => {
    const handler: Handler = async (request, reply) => {
      const by = await requireAdmin(request, auth)
      return run(request, reply, by)
    }
    scope.route({ method, url, handler, exposeHeadRoute: false })
  }
  userCalls(route, auth)
  ssoCalls(route, auth)
  const refuse = (url: string, error: () => AuthError) => {
    const handler: Handler = async request => {
      await requireAdmin(request, auth)
      throw error()
    }
    scope.route({ method: all, url, handler, exposeHeadRoute: false })
  }
  refuse('/admin/oauth/*', () => new AuthError(404, 'feature_disabled', 'OAuth server is disabled'))
  refuse('/admin/*', () => new AuthError(404, 'unknown', 'This call does not exist'))
}

type Route = (method: Method, url: string, run: Call) => void

function userCalls(route: Route, auth: AuthServices): void {
  route('GET', '/admin/users', (request, reply) => listUsers(auth, request, reply))
  route('POST', '/admin/users', request => adminCreateUser(auth, readBody(request)))
  route('GET', '/admin/users/:id', async request => presentUser(await findUser(auth, idOf(request))))
  route('PUT', '/admin/users/:id', async request => {
    const { id } = await findUser(auth, idOf(request))
    return adminUpdateUser(auth, id, readBody(request))
  })
  route('DELETE', '/admin/users/:id', (request, _, by) => adminDeleteUser(auth, idOf(request), by))
  route('GET', '/admin/users/:id/factors', async request =>
    (await findUser(auth, idOf(request))).factors.map(presentFactor),
  )
  route('DELETE', '/admin/users/:id/factors/:factor', async request => {
    const { factor } = request.params as { factor: string }
    return deleteFactor(auth, (await findUser(auth, idOf(request))).id, factor)
  })
  route('POST', '/admin/generate_link', request =>
    generateLink(auth, readBody(request), visitorOf(request, auth)),
  )
  route('POST', '/invite', request => invite(auth, readBody(request), visitorOf(request, auth)))
}

async function deleteFactor(auth: AuthServices, userId: string, factorId: string) {
  const removed = await inTransaction(auth.database.kysely, async tx => {
    const owner = await lockUser(tx, userId)
    const view = owner?.factors.find(({ id }) => id === factorId.toLowerCase())
    if (!owner) throw noSuchUser()
    if (!view) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
    await dropFactor(tx, auth, owner, await findFactorOf(tx, userId, view.id))
    return view
  })
  auth.wakeMail()
  return presentFactor(removed)
}

function ssoCalls(route: Route, auth: AuthServices): void {
  const url = '/admin/sso/providers'
  route('GET', url, () => listSsoProviders(auth))
  route('POST', url, async (request, reply) => {
    const made = await createSsoProvider(auth, readBody(request))
    return reply.code(201).send(made)
  })
  route('GET', `${url}/:id`, async request => presentConnection(await getSsoProvider(auth, idOf(request))))
  route('PUT', `${url}/:id`, request => updateSsoProvider(auth, idOf(request), readBody(request)))
  route('DELETE', `${url}/:id`, request => deleteSsoProvider(auth, idOf(request)))
}
