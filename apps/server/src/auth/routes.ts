/**
 * The auth service under /auth/v1: the calls that `@supabase/auth-js` makes, with its error shapes. Bodies are read
 * leniently, in the handler: who calls is checked first, then limits, then what was sent. Nothing may be cached except
 * the public keys.
 */
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import server from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import { inAct } from '../db/act.ts'
import type { Database } from '../db/database.ts'
import { callerAddress } from '../http/caller-address.ts'
import type { Vault } from '../vault.ts'
import type { Signals } from '../worker/signals.ts'
import type { DeleteAccount } from './admin/delete-user.ts'
import { registerAdmin } from './admin/routes.ts'
import { type Body, readBody } from './body.ts'
import { exchangeCode } from './codes/exchange-code.ts'
import { followLink } from './codes/follow-link.ts'
import { reauthenticate } from './codes/reauthenticate.ts'
import { recoverPassword } from './codes/recover-password.ts'
import { resendConfirmation } from './codes/resend-confirmation.ts'
import { verifyOtp } from './codes/verify-otp.ts'
import { AuthError, sendAuthError } from './errors.ts'
import { evenly } from './even-answers.ts'
import { registerFactors } from './factors/routes.ts'
import { openSms, type SmsSender } from './letters/sms-sender.ts'
import { registerProviders } from './providers/routes.ts'
import { signInWithIdToken } from './providers/sign-in-with-id-token.ts'
import { presentSettings } from './public-settings.ts'
import { presentUser } from './queries.ts'
import { sendOtp } from './send-otp.ts'
import { logOut } from './sessions/log-out.ts'
import { refreshSession } from './sessions/refresh-session.ts'
import { assertAudience, requireSession } from './sessions/require-session.ts'
import { createTokens, type Tokens } from './sessions/tokens.ts'
import { type AuthSettings, defaultSettings, type SettingsConfig } from './settings.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { updateUser } from './update-user.ts'
import { type Visitor, visitorOf } from './visitor.ts'
import { basePath } from './wire.ts'

/** Everything that the calls of this room need. Each command names its part of it. */
interface Auth {
  readonly database: Database
  readonly vault: Vault
  readonly tokens: Tokens
  readonly settings: AuthSettings
  /** Null: phones are not offered. */
  readonly sms: SmsSender | null
  /** Origin of links, without a trailing slash. */
  readonly siteUrl: string
  /** Tells the mail loop to look, once the transaction that queued a letter has committed. */
  readonly wakeMail: () => void
  readonly deleteAccount: DeleteAccount | null
}

export interface AuthOptions {
  readonly database: Database
  readonly vault: Vault
  readonly config: SettingsConfig & Pick<Config, 'publicUrl'> & Partial<Pick<Config, 'sms'>>
  readonly signals?: Pick<Signals, 'send'>
  readonly settings?: Partial<AuthSettings>
  readonly deleteAccount?: DeleteAccount
}

const bodyLimit = 1024 * 1024
const handlerTimeout = 10_000

export async function registerAuth(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const { database, vault, config, signals } = options
  const settings = { ...defaultSettings(config), ...options.settings }
  const auth: Auth = {
    database,
    vault,
    tokens: createTokens({ database, vault, config, lifeSeconds: settings.accessTokenSeconds }),
    settings,
    sms: openSms(config.sms ?? null, database, vault),
    siteUrl: config.publicUrl,
    wakeMail: () => signals?.send('mail'),
    deleteAccount: options.deleteAccount ?? null,
  }
  await app.register(
    async scope => {
      prepare(scope)
      await scope.register(cors, {
        origin: '*',
        methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        allowedHeaders:
          'Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, x-use-cookie, X-Supabase-Api-Version, apikey',
        exposedHeaders: 'X-Total-Count, Link, X-Supabase-Api-Version',
        maxAge: 600,
      })
      publicRoutes(scope, auth)
      userRoutes(scope, auth)
      metaRoutes(scope, auth)
      registerFactors(scope, auth)
      registerProviders(scope, auth)
      registerAdmin(scope, auth)
      unknownRoutes(scope)
    },
    { prefix: basePath },
  )
}

function prepare(scope: FastifyInstance): void {
  scope.addHook('onRoute', route => {
    route.bodyLimit ??= bodyLimit
    route.handlerTimeout ??= handlerTimeout
    route.handler = withAct(route)
  })
  scope.addHook('onRequest', async (_, reply) => {
    void reply.header('cache-control', 'no-store')
  })
  // A body is JSON whatever the content type says, and read where it is needed; many calls send none.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, raw, done) => done(null, raw))
  scope.setErrorHandler(sendAuthError)
}

/** A call of a visitor, until it is known who makes it (`requireSession`, `requireAdmin`, a link or code redeemed). */
function withAct({ url, handler }: RouteOptions): RouteOptions['handler'] {
  return function acting(request, reply) {
    const operation = `${request.method} ${url}`
    const act = {
      actor: 'visitor',
      role: null,
      operation,
      requestId: request.id,
      ip: callerAddress(request),
    } as const
    return inAct(act, () => handler.call(this, request, reply))
  }
}

type Command = (auth: Auth, body: Body, visitor: Visitor) => Promise<object>
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function publicRoutes(scope: FastifyInstance, auth: Auth): void {
  const run =
    (command: Command): Handler =>
    request =>
      command(auth, readBody(request), visitorOf(request, auth))
  const grants: Readonly<Record<string, Handler>> = {
    password: run(signIn),
    refresh_token: run(refreshSession),
    pkce: run(exchangeCode),
    id_token: request => signInWithIdToken(auth, request, visitorOf(request, auth)),
  }
  const token: Handler = async (request, reply) => {
    const type = String((request.query as { grant_type?: unknown }).grant_type)
    if (Object.hasOwn(grants, type)) return grants[type]!(request, reply)
    return refuseGrant(type)
  }
  scope.route({ method: 'POST', url: '/signup', handler: run(signUp) })
  /** For calls whose work depends on whether somebody has the address. */
  const runEvenly =
    (command: Command): Handler =>
    (request, reply) =>
      evenly(auth.settings.evenAnswerMs, () => run(command)(request, reply))
  scope.route({ method: 'POST', url: '/otp', handler: runEvenly(sendOtp) })
  scope.route({ method: 'POST', url: '/recover', handler: runEvenly(recoverPassword) })
  scope.route({ method: 'POST', url: '/resend', handler: runEvenly(resendConfirmation) })
  scope.route({ method: 'POST', url: '/verify', handler: runEvenly(verifyOtp) })
  scope.route({ method: 'POST', url: '/token', handler: token })
  // A link checker's HEAD must not use a link up, and its token belongs in no log.
  const link = { exposeHeadRoute: false, logLevel: 'warn' } as const
  scope.get('/verify', link, (request, reply) => followLink(auth, request, reply))
  scope.head('/verify', link, (_, reply) => reply.code(204).send())
}

/** Grants of POST /token that this service does not offer, or that do not exist. */
function refuseGrant(grantType: string): never {
  if (grantType === 'web3') throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
}

function userRoutes(scope: FastifyInstance, auth: Auth): void {
  const getUser: Handler = async request => {
    const { user } = await requireSession(request, auth)
    assertAudience(request)
    return presentUser(user)
  }
  const putUser: Handler = async request => {
    const { user, session } = await requireSession(request, auth)
    return updateUser(auth, user, session, readBody(request), visitorOf(request, auth))
  }
  const getReauthenticate: Handler = async request => {
    const { user } = await requireSession(request, auth)
    return reauthenticate(auth, user, visitorOf(request, auth))
  }
  const postLogout: Handler = async (request, reply) => {
    const { user, session } = await requireSession(request, auth)
    const { scope } = request.query as { scope?: unknown }
    await logOut(auth, user.id, session.id, String(scope || 'global'))
    return reply.code(204).send()
  }
  scope.route({ method: 'GET', url: '/user', handler: getUser })
  scope.route({ method: 'PUT', url: '/user', handler: putUser })
  scope.route({ method: 'GET', url: '/reauthenticate', handler: getReauthenticate })
  scope.route({ method: 'POST', url: '/logout', handler: postLogout })
}

/** Everything else under the service's path, which would otherwise be the site's to answer. */
function unknownRoutes(scope: FastifyInstance): void {
  scope.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    handler: () => Promise.reject(new AuthError(404, 'unknown', 'This call does not exist')),
  })
}

function metaRoutes(scope: FastifyInstance, auth: Auth): void {
  scope.get('/.well-known/jwks.json', (_, reply) => {
    void reply.header('cache-control', 'public, max-age=600')
    return auth.tokens.jwks()
  })
  scope.get('/settings', () => Promise.resolve(presentSettings(auth)))
  scope.get('/health', () =>
    Promise.resolve({
      version: server.version,
      name: 'GoTrue',
      description: 'Sign-up, sign-in and sessions of Ingot',
    }),
  )
}
