/** The calls of administrators' programs, under the auth service's path. Who calls is always checked first. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { readBody } from '../body.ts'
import { AuthError } from '../errors.ts'
import type { RemoveNeeds } from '../factors/remove-factor.ts'
import { presentFactor, presentUser } from '../queries.ts'
import { visitorOf } from '../visitor.ts'
import { audience } from '../wire.ts'
import { createSsoProvider } from './create-sso-provider.ts'
import { adminCreateUser } from './create-user.ts'
import { adminDeleteFactor } from './delete-factor.ts'
import { deleteSsoProvider } from './delete-sso-provider.ts'
import { adminDeleteUser, type DeleteUserNeeds } from './delete-user.ts'
import { generateLink } from './generate-link.ts'
import { type InviteNeeds, inviteUser } from './invite-user.ts'
import { findUser, getSsoProvider, listSsoProviders, listUsers, presentConnection } from './queries.ts'
import { type AdminCallerNeeds, requireAdmin } from './require-admin.ts'
import { updateSsoProvider } from './update-sso-provider.ts'
import { adminUpdateUser } from './update-user.ts'
import { linksOf, readPage } from './user-pages.ts'

interface AdminNeeds extends AdminCallerNeeds, DeleteUserNeeds, InviteNeeds, RemoveNeeds {}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
/** `by`: the administrator. */
type Call = (request: FastifyRequest, reply: FastifyReply, by: string) => unknown
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id

export function registerAdmin(scope: FastifyInstance, needs: AdminNeeds): void {
  const route = (method: Method, url: string, run: Call) => {
    const handler: Handler = async (request, reply) => {
      const by = await requireAdmin(request, needs)
      return run(request, reply, by)
    }
    scope.route({ method, url, handler, exposeHeadRoute: false })
  }
  userCalls(route, needs)
  ssoCalls(route, needs)
  const refuse = (url: string, error: () => AuthError) => {
    const handler: Handler = async request => {
      await requireAdmin(request, needs)
      throw error()
    }
    scope.route({ method: all, url, handler, exposeHeadRoute: false })
  }
  refuse('/admin/oauth/*', () => new AuthError(404, 'feature_disabled', 'OAuth server is disabled'))
  refuse('/admin/*', () => new AuthError(404, 'unknown', 'This call does not exist'))
}

type Route = (method: Method, url: string, run: Call) => void

function userCalls(route: Route, needs: AdminNeeds): void {
  route('GET', '/admin/users', async (request, reply) => {
    const page = readPage(request.query as Record<string, unknown>)
    const { users, total } = await listUsers(needs, page)
    void reply.header('x-total-count', String(total)).header('link', linksOf(page, total))
    return { users: users.map(presentUser), aud: audience }
  })
  route('POST', '/admin/users', request => adminCreateUser(needs, readBody(request)))
  route('GET', '/admin/users/:id', async request => presentUser(await findUser(needs, idOf(request))))
  route('PUT', '/admin/users/:id', async request => {
    const { id } = await findUser(needs, idOf(request))
    return adminUpdateUser(needs, id, readBody(request))
  })
  route('DELETE', '/admin/users/:id', (request, _, by) => adminDeleteUser(needs, idOf(request), by))
  route('GET', '/admin/users/:id/factors', async request =>
    (await findUser(needs, idOf(request))).factors.map(presentFactor),
  )
  route('DELETE', '/admin/users/:id/factors/:factor', async request => {
    const { factor } = request.params as { factor: string }
    return adminDeleteFactor(needs, (await findUser(needs, idOf(request))).id, factor)
  })
  route('POST', '/admin/generate_link', request =>
    generateLink(needs, readBody(request), visitorOf(request, needs)),
  )
  route('POST', '/invite', request => inviteUser(needs, readBody(request), visitorOf(request, needs)))
}

function ssoCalls(route: Route, needs: { database: Database }): void {
  const url = '/admin/sso/providers'
  route('GET', url, () => listSsoProviders(needs))
  route('POST', url, async (request, reply) => {
    const made = await createSsoProvider(needs, readBody(request))
    return reply.code(201).send(made)
  })
  route('GET', `${url}/:id`, async request => presentConnection(await getSsoProvider(needs, idOf(request))))
  route('PUT', `${url}/:id`, request => updateSsoProvider(needs, idOf(request), readBody(request)))
  route('DELETE', `${url}/:id`, request => deleteSsoProvider(needs, idOf(request)))
}
