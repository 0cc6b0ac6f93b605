/**
 * Every operation of the contract over HTTP, as everybody who might call it. The unknown field that each call brings is
 * looked at right after who calls, so a call that is open is answered with that field's name, and nothing is done.
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { api } from '@ingot/contracts/api'
import { eventsPath } from '@ingot/contracts/events'
import {
  actingHeader,
  inQuery,
  isOfStaff,
  needsCaller,
  nothing,
  operation,
  type Operation,
  type Who,
} from '@ingot/contracts/operation'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withApiKeys } from '../accounts/authenticate-key.ts'
import { createAuthenticate } from '../auth/sessions/authenticate.ts'
import { bindAll } from '../http/bind.ts'
import { sendError } from '../http/errors.ts'
import { terminalPath } from '../instances/terminal/open-terminal.ts'
import { useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const nobody = '01980000-0000-7000-8000-0000000000ff'

const people = ['visitor', 'user', 'other user', 'moderator', 'administrator'] as const
const callers = [
  ...people,
  'user’s key',
  'moderator’s key',
  'administrator’s key',
  'acting as the user',
  'moderator who would act',
  'administrator’s key that would act',
] as const
type CallerName = (typeof callers)[number]

/** Written out by hand, so that a change of the table is a change of this. Everybody else is refused. */
const open: Record<Who, readonly CallerName[]> = {
  public: callers,
  dev: callers,
  user: [...people.slice(1), 'user’s key', 'moderator’s key', 'administrator’s key'],
  session: ['user', 'other user', 'moderator', 'administrator'],
  staff: ['moderator', 'administrator'],
  admin: ['administrator'],
}

/** Written out by hand too: what an administrator reads as a customer. */
const actable = [
  'get_or_create_wallet',
  'listGpus',
  'listRegions',
  'listTemplates',
  'listInstances',
  'getInstancesSummary',
  'listInstanceLoads',
  'getInstanceMetrics',
  'getInstanceMetricsNow',
  'listInstanceEvents',
  'getInstanceCosts',
  'auto-shutdown-checker',
  'getInstanceIdleness',
  'listInstanceSchedules',
  'getInstance',
  'listPlacements',
  'listBilling',
  'getSpending',
  'getUsage',
  'getBalanceHistory',
  'getReceipt',
  'getBudgets',
  'listAttention',
  'listRecentActivity',
  'listUsageLogs',
  'getActivitySummary',
  'listLoggedInstances',
  'listLoggedVolumes',
  'getTicketsSummary',
  'listVolumes',
  'getVolumesSummary',
  'listVolumeRegions',
  'getVolume',
  'getVolumeGrowth',
  'listVolumeSnapshots',
  'listSnapshots',
  'getSnapshot',
  'getProfile',
  'get_user_role',
  'getSettings',
  'listStaffActs',
  'getStatus',
  'listTold',
]

const tokens = {} as Record<CallerName, string | undefined>
/** Whom the calls of those who act are about. */
let customer = ''
const actors = callers.filter(name => /\bact/.test(name))
beforeAll(async () => {
  for (const name of people) {
    if (name === 'visitor') continue
    const user = await server.user()
    const { key_value } = await user.client.accounts.generateApiKey({})
    const role = { moderator: 'moderator', administrator: 'admin' }[name as string]
    if (role) await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
    tokens[name] = user.token
    if (name !== 'other user') tokens[`${name}’s key`] = key_value
    if (name === 'user') customer = user.id
    if (name === 'administrator')
      await user.client.admin.beginActing({ user_id: customer, reason: 'Cannot deploy' })
  }
  tokens['acting as the user'] = tokens['administrator']
  tokens['moderator who would act'] = tokens['moderator']
  tokens['administrator’s key that would act'] = tokens['administrator’s key']
})

/** With the header, an operation is open where it is marked: to one administrator's session, or to all where it is public. */
const mayAct = (name: CallerName, op: Pick<Operation, 'id' | 'who'>): boolean =>
  actable.includes(op.id) && (name === 'acting as the user' || op.who === 'public')

const expected = (op: Pick<Operation, 'id' | 'who'>) =>
  Object.fromEntries(
    callers.map(name => {
      const isOpen = actors.includes(name) ? mayAct(name, op) : open[op.who].includes(name)
      return [name, isOpen ? 'open' : name === 'visitor' ? 401 : 403]
    }),
  )

type Headers = Readonly<Record<string, string>>

/** What each is answered: `open`, or the status that refuses. */
async function answers(ask: (token: string | undefined, headers: Headers) => Promise<'open' | number>) {
  const headersOf = (name: CallerName): Headers => (actors.includes(name) ? { [actingHeader]: customer } : {})
  return Object.fromEntries(
    await Promise.all(callers.map(async name => [name, await ask(tokens[name], headersOf(name))] as const)),
  )
}

describe('who may call', () => {
  test.each(operations.map(op => [`${op.method} ${op.path}`, op] as const))(
    '%s: as the table says',
    async (_, op) => {
      const path = op.path
        .replace('{port}', '8888')
        .replace('{offset}', '0')
        .replace(/\{\w+\}/g, nobody)
      const isInQuery = inQuery(op)
      const outcome = await answers(async (token, headers) => {
        const response = await server.fetch(isInQuery ? `${path}?unknown=1` : path, {
          method: op.method,
          token,
          headers,
          body: isInQuery ? undefined : '{"unknown":1}',
        })
        const { error } = (await response.json()) as { error: { fields?: Record<string, string> } }
        return error.fields?.['unknown'] ? 'open' : response.status
      })
      expect(outcome).toEqual(expected(op))
    },
  )

  test.each(operations.filter(op => needsCaller(op.who)).map(op => [`${op.method} ${op.path}`, op] as const))(
    '%s needs a signed-in caller',
    async (_, op) => {
      const path = op.path
        .replace('{port}', '8888')
        .replace('{offset}', '0')
        .replace(/\{\w+\}/g, nobody)
      for (const headers of [
        {},
        { authorization: 'Bearer x.y.z' },
        { authorization: `Bearer ingot_${'x'.repeat(43)}` },
        { apikey: 'anything' },
      ] as Record<string, string>[]) {
        const response = await server.fetch(path, { method: op.method, headers })
        expect(response.status).toBe(401)
        expect(await response.json()).toMatchObject({ error: { code: 'not_authenticated' } })
      }
    },
  )

  test('what an administrator reads as a customer is marked, reads, and is nothing of staff', () => {
    const marked = operations.filter(op => op.actable)
    expect(marked.map(op => op.id).toSorted()).toEqual(actable.toSorted())
    expect(marked.filter(op => op.method !== 'GET' || isOfStaff(op) || op.transport || op.fresh)).toEqual([])
  })

  test('the event stream: as for any call of users', async () => {
    const outcome = await answers(async (token, headers) => {
      const leaving = new AbortController()
      const response = await server.fetch(eventsPath, { token, headers, signal: leaving.signal })
      leaving.abort()
      return response.ok ? 'open' : response.status
    })
    expect(outcome).toEqual(expected({ id: 'events', who: 'user' }))
  })

  test('a terminal: nobody without a ticket, whatever their role', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const outcome = await answers(async (token, given) => {
      const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
      const headers = { ...upgrade, ...authorization, ...given }
      return (await server.app.inject({ url: `${terminalPath}?ticket=x`, headers })).statusCode
    })
    expect(new Set(Object.values(outcome))).toEqual(new Set([401]))
  })
})

describe('a call of staff', () => {
  // No noun has one yet.
  const queue = operation({
    id: 'listQueue',
    method: 'GET',
    path: '/queue',
    who: 'staff',
    summary: '',
    input: nothing,
    output: nothing,
    status: 200,
    errors: [],
  })
  let app: FastifyInstance
  beforeAll(() => {
    const { services } = server
    app = Fastify()
    app.setErrorHandler(sendError)
    const authenticate = withApiKeys(createAuthenticate(services), services.database)
    bindAll(
      app,
      { support: { queue } },
      { support: { queue: async () => ({}) } },
      { ...services, authenticate },
    )
  })
  afterAll(() => app.close())

  test('is open to moderators and administrators who have signed in', async () => {
    const outcome = await answers(async (token, given) => {
      const headers: Record<string, string> = {
        ...given,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      }
      const { statusCode } = await app.inject({ url: '/queue', headers })
      return statusCode === 200 ? 'open' : statusCode
    })
    expect(outcome).toEqual(expected(queue))
  })
})

describe('a call whose body comes later', () => {
  const change = operation({
    id: 'changeQueue',
    method: 'POST',
    path: '/queue',
    who: 'staff',
    summary: '',
    input: nothing,
    output: nothing,
    status: 200,
    errors: [],
  })

  test.each([
    ['role', 403],
    ['session', 401],
  ] as const)('is refused where the %s has gone meanwhile', async (what, status) => {
    const { services } = server
    const { id, token, sessionId } = await server.user()
    await sql`insert into user_roles (user_id, role) values (${id}, 'admin')`.execute(db())
    const asked = Promise.withResolvers<void>()
    const sessions = createAuthenticate(services)
    const app = Fastify({ forceCloseConnections: true })
    app.setErrorHandler(sendError)
    bindAll(
      app,
      { support: { change } },
      { support: { change: () => Promise.reject(new Error('it was done')) } },
      {
        ...services,
        authenticate: async asking => {
          const caller = await sessions(asking)
          asked.resolve()
          return caller
        },
      },
    )
    const call = request(`${await app.listen()}/queue`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 2 },
    })
    const answered = once(call, 'response') as Promise<[IncomingMessage]>
    call.write('{')
    await asked.promise
    if (what === 'role') await sql`delete from user_roles where user_id = ${id}`.execute(db())
    else await sql`delete from auth_session where id = ${sessionId}`.execute(db())
    call.end('}')
    const [{ statusCode }] = await answered
    expect(statusCode).toBe(status)
    await app.close()
  })
})

describe('what is open', () => {
  test('ends with the role that it needs, and not with another change of role', async () => {
    const { database, log } = server.services
    const { createLiveCallers } = await import('../http/live-callers.ts')
    const watching = createLiveCallers(database, log)
    const user = await server.user()
    await sql`insert into user_roles (user_id, role) values (${user.id}, 'moderator')`.execute(db())
    const caller = { sessionId: user.sessionId, keyId: null }
    await watching.assertMayCall({ who: 'staff' }, caller)
    await expect(watching.assertMayCall({ who: 'admin' }, caller)).rejects.toMatchObject({
      code: 'not_allowed',
    })
    const ended: Who[] = []
    const staffEnded = Promise.withResolvers<void>()
    const watch = (who: Who) =>
      watching.watch({ who }, caller, () => {
        ended.push(who)
        if (who === 'staff') staffEnded.resolve()
      })
    const unwatch = watch('user')
    watch('staff')
    await sql`delete from user_roles where user_id = ${user.id}`.execute(db())
    await staffEnded.promise
    expect(ended).toEqual(['staff'])
    unwatch()
  })
})
