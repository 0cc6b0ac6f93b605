/** The whole HTTP surface: the API from its contract, the auth service, streams and terminals, and the web. */
import fastifyWebsocket from '@fastify/websocket'
import type { Server } from 'node:http'
import { api } from '@ingot/contracts/api'
import { IngotError } from '@ingot/contracts/errors'
import { terminalLimits } from '@ingot/contracts/instance/terminal'
import { openapi } from '@ingot/contracts/openapi'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { sql } from 'kysely'
import { withApiKeys } from '../accounts/authenticate-key.ts'
import { deleteAccount } from '../accounts/delete-account.ts'
import { accountRoutes } from '../accounts/routes.ts'
import { activityRoutes } from '../activity/routes.ts'
import { createActAs } from '../admin/acting/act-as.ts'
import { businessRoutes } from '../admin/money/routes.ts'
import { adminRoutes } from '../admin/routes.ts'
import { createAuthenticate } from '../auth/sessions/authenticate.ts'
import { createStepUp } from '../auth/step-up.ts'
import { registerAuth } from '../auth/routes.ts'
import { invoiceRoutes } from '../billing/invoices/routes.ts'
import { billingRoutes } from '../billing/routes.ts'
import { budgetRoutes } from '../budgets/routes.ts'
import { catalogRoutes } from '../catalog/routes.ts'
import { hasDevTools } from '../config.ts'
import { newId } from '../db/ids.ts'
import { devRoutes } from '../dev/routes.ts'
import { fileHandlers, fileRoutes } from '../files/routes.ts'
import { instanceRoutes } from '../instances/routes.ts'
import { heldVolumeRoutes } from '../instances/volume/routes.ts'
import { createFront } from '../instances/ports/front.ts'
import { registerTerminal } from '../instances/terminal/socket.ts'
import { machineRoutes } from '../machines/routes.ts'
import type { Pages } from './pages.ts'
import type { Services } from './services.ts'
import { createAdmit } from '../site/limits.ts'
import { postedRoutes } from '../site/posted/routes.ts'
import { readerRoutes } from '../site/readers/routes.ts'
import { siteRoutes } from '../site/routes.ts'
import { setupRoutes } from '../site/setup/routes.ts'
import { sshRoutes } from '../ssh/routes.ts'
import { supportRoutes } from '../support/routes.ts'
import { templateRoutes } from '../templates/routes.ts'
import { volumeRoutes } from '../volumes/routes.ts'
import { walletRoutes } from '../wallet/routes.ts'
import { peopleRoutes } from '../people/routes.ts'
import { paymentRoutes } from '../payments/routes.ts'
import { withdrawalRoutes } from '../withdrawals/routes.ts'
import { bindAll } from '../http/bind.ts'
import { takeBodies } from '../http/body.ts'
import { createProxyWarning, forwardedHeader, trustOf } from '../http/caller-address.ts'
import { sendError } from '../http/errors.ts'
import { createLiveCallers, type LiveCallers } from '../http/live-callers.ts'
import { registerWeb } from './web.ts'
import { registerStream } from './stream.ts'

/** Without `pages` there are no public pages: tests of calls render none. */
export async function createApp(
  services: Services,
  { pages = null }: { readonly pages?: Pages | null } = {},
): Promise<FastifyInstance> {
  const { config, database, log } = services
  const front = createFront(services)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    trustProxy: trustOf(config.trustProxy),
    serverFactory: product => front.serve(product),
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: true,
  })
  front.takeUpgrades(app.server)
  app.addHook('preClose', async () => front.close())
  app.setErrorHandler(sendError)
  takeBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    done()
  })
  if (config.trustProxy === 0) {
    const warnOfProxy = createProxyWarning(log)
    app.addHook('onRequest', (request, _, done) => {
      warnOfProxy(request)
      done()
    })
  }
  await app.register(fastifyWebsocket, {
    options: {
      server: front.upgrades as Server,
      maxPayload: terminalLimits.inputFrameBytes,
      perMessageDeflate: false,
    },
  })

  await registerWeb(app, pages)
  const authenticate = withApiKeys(createAuthenticate(services), database)
  const liveCallers = createLiveCallers(database, log)
  await registerAuth(app, {
    ...services,
    // What is left of their money goes back to them.
    deleteAccount: (userId, by) => deleteAccount(services, userId, { by, balance: 'refund' }),
  })
  const { dev, ...publicApi } = api
  const { dev: devHandlers, ...handlers } = handlersOf(services, liveCallers)
  bindAll(app, publicApi, handlers, {
    database,
    authenticate,
    stepUp: createStepUp(services),
    actAs: createActAs(services),
    admit: createAdmit(database),
    assertOpen: services.posted.assertOpen,
    liveCallers,
  })
  if (hasDevTools(config)) {
    await app.register(async scope => {
      scope.addHook('onRequest', async request => assertFromThisMachine(request))
      bindAll(scope, { dev }, { dev: devHandlers }, { database, authenticate })
    })
  }
  registerStream(app, { ...services, authenticate, liveCallers })
  registerTerminal(app, { ...services, liveCallers })
  app.get('/v1/openapi.json', () => openapi(config.publicUrl))
  app.get('/health', async () => {
    await sql`select 1`.execute(database.kysely)
    return { status: 'ok' }
  })
  return app
}

function handlersOf(services: Services, liveCallers: LiveCallers) {
  return {
    wallet: walletRoutes(services),
    withdrawals: withdrawalRoutes(services),
    payments: paymentRoutes(services),
    catalog: catalogRoutes(services),
    templates: templateRoutes(services),
    instances: {
      ...instanceRoutes({ ...services, liveCallers }),
      ...fileHandlers(services, 'instances'),
    },
    ssh: sshRoutes(services),
    billing: billingRoutes(services),
    budgets: budgetRoutes(services),
    invoices: invoiceRoutes(services),
    activity: activityRoutes(services),
    machines: machineRoutes(services),
    support: supportRoutes(services),
    volumes: {
      ...volumeRoutes(services),
      ...heldVolumeRoutes(services),
      ...fileHandlers(services, 'volumes'),
    },
    files: fileRoutes({ ...services, liveCallers }),
    accounts: accountRoutes(services),
    people: peopleRoutes(services),
    site: {
      ...siteRoutes(services),
      ...postedRoutes(services),
      ...readerRoutes,
      ...setupRoutes(services),
    },
    admin: adminRoutes(services),
    business: businessRoutes(services),
    dev: devRoutes(services),
  }
}

/**
 * A page elsewhere may point its own name at this machine, and a proxy may bring requests from outside as if they came
 * from here. The mails here hold links that sign people in.
 */
function assertFromThisMachine(request: FastifyRequest): void {
  const name = request.hostname.replace(/:\d+$/, '')
  const isLocal =
    name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  if (!isLocal || forwardedHeader(request))
    throw new IngotError('not_allowed', { message: 'Development tools answer only to this machine' })
}
