/**
 * The auth service under /auth/v1: the calls that `@supabase/auth-js` makes, with its error shapes. Bodies are read
 * leniently, in the handler: who calls is checked first, then limits, then what was sent. Nothing may be cached except
 * the public keys.
 */
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import server from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Signals } from '../worker/signals.ts'
import { type Body, readBody } from './body.ts'
import { registerAdmin } from './admin/routes.ts'
import { refuseGrant } from './disabled.ts'
import { AuthError, sendAuthError } from './errors.ts'
import { exchangeCode } from './codes/exchange-code.ts'
import { evenly } from './even-answers.ts'
import { registerFactors } from './factors/routes.ts'
import { followLink } from './codes/follow-link.ts'
import { logOut } from './sessions/log-out.ts'
import { signInWithIdToken } from './providers/id-token.ts'
import { external, externalNames } from './providers/providers.ts'
import { registerProviders } from './providers/routes.ts'
import { isSamlOn } from './providers/saml-key.ts'
import { presentUser } from './queries.ts'
import { reauthenticate } from './codes/reauthenticate.ts'
import { recover } from './codes/recover.ts'
import { refreshSession } from './sessions/refresh-session.ts'
import { resend } from './codes/resend.ts'
import { type AuthServices, type Visitor, visitorOf } from './services.ts'
import { assertAudience, requireSession } from './sessions/session.ts'
import { type AuthSettings, defaultSettings, type SettingsConfig } from './settings.ts'
import { sendOtp } from './send-otp.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { openSms } from './letters/sms-sender.ts'
import { basePath, createTokens } from './sessions/tokens.ts'
import { updateUser } from './update-user.ts'
import { verifyOtp } from './codes/verify-otp.ts'

export interface AuthOptions {
  readonly database: Database
  readonly vault: Vault
  readonly config: SettingsConfig & Pick<Config, 'publicUrl'> & Partial<Pick<Config, 'sms'>>
  readonly signals?: Pick<Signals, 'send'>
  readonly settings?: Partial<AuthSettings>
  readonly deleteAccount?: AuthServices['deleteAccount']
}

const bodyLimit = 1024 * 1024
const handlerTimeout = 10_000

export async function registerAuth(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const { database, vault, config, signals } = options
  const settings = { ...defaultSettings(config), ...options.settings }
  const auth: AuthServices = {
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
  })
  scope.addHook('onRequest', async (_, reply) => {
    void reply.header('cache-control', 'no-store')
  })
  // Whatever the content type says: a body is JSON, read where it is needed; many calls send none.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, raw, done) => done(null, raw))
  scope.setErrorHandler(sendAuthError)
}

type Command = (auth: AuthServices, body: Body, visitor: Visitor) => Promise<object>
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function publicRoutes(scope: FastifyInstance, auth: AuthServices): void {
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
  /** What these do depends on whether somebody has the address. */
  const runEvenly =
    (command: Command): Handler =>
    (request, reply) =>
      evenly(auth.settings.evenAnswerMs, () => run(command)(request, reply))
  scope.route({ method: 'POST', url: '/otp', handler: runEvenly(sendOtp) })
  scope.route({ method: 'POST', url: '/recover', handler: runEvenly(recover) })
  scope.route({ method: 'POST', url: '/resend', handler: runEvenly(resend) })
  scope.route({ method: 'POST', url: '/verify', handler: runEvenly(verifyOtp) })
  scope.route({ method: 'POST', url: '/token', handler: token })
  // A link checker's HEAD must not use a link up, and its token belongs in no log.
  const link = { exposeHeadRoute: false, logLevel: 'warn' } as const
  scope.get('/verify', link, (request, reply) => followLink(auth, request, reply))
  scope.head('/verify', link, (_, reply) => reply.code(204).send())
}

function userRoutes(scope: FastifyInstance, auth: AuthServices): void {
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
    return reauthenticate(auth, user)
  }
  const postLogout: Handler = async (request, reply) => {
    const { user, session } = await requireSession(request, auth)
    const { scope = 'global' } = request.query as { scope?: unknown }
    await logOut(auth, user.id, session.id, String(scope))
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

function metaRoutes(scope: FastifyInstance, auth: AuthServices): void {
  scope.get('/.well-known/jwks.json', (_, reply) => {
    void reply.header('cache-control', 'public, max-age=600')
    return auth.tokens.jwks()
  })
  scope.get('/settings', () =>
    Promise.resolve({
      external: {
        anonymous_users: false,
        email: auth.settings.emailProvider,
        phone: auth.sms !== null,
        ...external(auth.settings),
      },
      external_names: externalNames(auth.settings),
      disable_signup: !auth.settings.signUp,
      mailer_autoconfirm: auth.settings.autoconfirm,
      phone_autoconfirm: auth.settings.phoneAutoconfirm,
      sms_provider: auth.sms?.name ?? '',
      saml_enabled: isSamlOn(auth),
    }),
  )
  scope.get('/health', () =>
    Promise.resolve({
      version: server.version,
      name: 'GoTrue',
      description: 'Sign-up, sign-in and sessions of Ingot',
    }),
  )
}
