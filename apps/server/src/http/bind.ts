/**
 * Turns the API's operation objects and their handlers into routes. A missing handler does not compile.
 *
 * For each request: who may call (before the body is read, and again where that comes later), the input against its
 * schema, then the handler. A write runs in one transaction that also holds its idempotency key, its answer and, where
 * staff make it, its audit entry; what it hands to `afterCommit` happens only once that transaction is on disk. A call that
 * answers bytes gets none (bytes.ts). Three hops: route → command or query → database.
 */
import type { UserRole } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import {
  actingHeader,
  type BytesOperation,
  isOfStaff,
  needsCaller,
  type Operation,
  type Output,
  type Parsed,
  type UploadOperation,
} from '@ingot/contracts/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { type Act, inAct } from '../db/act.ts'
import { assertAudited, assertAuditedCall } from '../db/audit-log.ts'
import { type Database, type Db, inTransaction, type Tx } from '../db/database.ts'
import { idOf } from '../db/ids.ts'
import { type Bytes, NoSuchPart, type OpenFiles, type Reading, reading, sendBytes } from './bytes.ts'
import { callerAddress } from './caller-address.ts'
import { keepAnswer, maxKeyLength, takeKey } from './idempotency.ts'
import type { LiveCallers } from './live-callers.ts'
import { assertMayCall } from './policy.ts'
import { routeSchemas } from './schema.ts'
import { compileValidator } from './validators.ts'

/** Who is calling, as the rows say now: through a signed-in session or with an API key. */
export type Caller = SessionCaller | KeyCaller
export interface SessionCaller {
  readonly userId: string
  readonly sessionId: string
  readonly keyId: null
  readonly role: UserRole
  /** The administrator whose session it is, while they read as this user: then nothing may be made, marked or woken. */
  readonly actingBy?: string
}
export interface KeyCaller {
  readonly userId: string
  readonly sessionId: null
  readonly keyId: string
  readonly role: UserRole
}

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

interface Common {
  readonly request: FastifyRequest
  /** Runs when the transaction has committed, or at once after a read: wake-ups, never work that must not be lost. */
  readonly afterCommit: (action: () => void) => void
  /** Runs when the transaction was rolled back, before its error is answered: what is to be kept of a refusal. */
  readonly afterRollback: (action: () => Promise<void>) => void
}
type CallerOf<T extends Operation> = T['who'] extends 'user'
  ? { readonly caller: Caller }
  : T['who'] extends 'session' | 'staff' | 'admin'
    ? { readonly caller: SessionCaller }
    : { readonly caller: null }
type DbOf<T extends Operation> = T extends
  | { method: 'GET' }
  | { transaction: false }
  | BytesOperation
  | UploadOperation
  ? { readonly db: Db }
  : { readonly db: Tx }
/** `gone` aborts when nobody takes the answer any more: what a stream waits for then has no use. */
type GoneOf<T extends Operation> = T extends BytesOperation
  ? Reading
  : T extends UploadOperation
    ? { readonly gone: AbortSignal; readonly body: Received }
    : unknown
type Answer<T extends Operation> = T extends Exclude<Operation, BytesOperation> ? Output<T> : Bytes

/** What a call that takes bytes is sent: a stream that fails where fewer come. */
export interface Received {
  readonly length: number
  readonly data: Readable
}

export type Context<T extends Operation> = Common & CallerOf<T> & DbOf<T> & GoneOf<T>
export type Handler<T extends Operation> = (input: Parsed<T>, context: Context<T>) => Promise<Answer<T>>
/** A handler for each operation of a noun. */
export type Handlers<T> = { readonly [K in keyof T]: T[K] extends Operation ? Handler<T[K]> : never }

export interface BindOptions {
  readonly database: Database
  readonly authenticate: Authenticate
  /** Throws where a caller who may make this call must first show more of who they are. */
  readonly stepUp?: (op: Operation, caller: Caller) => Promise<void>
  /** The customer as whom a call with `actingHeader` is made; throws where this call may not be, or not by this caller. */
  readonly actAs?: (op: Operation, caller: Caller, customer: string) => Promise<SessionCaller>
  /** Runs before the body of a public write is read, and throws when its sender wrote too often. */
  readonly admit?: (op: Operation, request: FastifyRequest) => Promise<void>
  /** Throws for a call that is refused for now, whoever makes it: maintenance. */
  readonly assertOpen?: (op: Operation) => void
  /** Ends an answer that is still being sent when its caller may call no more. */
  readonly liveCallers?: LiveCallers
}

/** Large enough that a 10 MB field is answered with that field's name; only signed-in callers may send so much. */
const signedInBodyLimit = 12 * 1024 * 1024
const publicBodyLimit = 64 * 1024

type AnyHandler = (input: Record<string, unknown>, context: object) => Promise<unknown>

export function bindAll<T extends Record<string, Record<string, Operation>>>(
  app: FastifyInstance,
  api: T,
  handlers: { readonly [N in keyof T]: Handlers<T[N]> },
  options: BindOptions,
): void {
  const files: OpenFiles = new Map()
  const uploads: OpenFiles = new Map()
  for (const [noun, operations] of Object.entries(api)) {
    for (const [name, op] of Object.entries(operations)) {
      const handler = (handlers[noun] as unknown as Record<string, AnyHandler>)[name]!
      if (op.transport !== 'upload') bind(app, op, handler, options, files)
      else
        void app.register(async scope => {
          // Nothing of it is held: the handler reads it.
          scope.removeAllContentTypeParsers()
          scope.addContentTypeParser('*', (_, payload, done) => done(null, payload))
          bind(scope, op, handler, options, uploads)
        })
    }
  }
}

function bind(
  app: FastifyInstance,
  op: Operation,
  handler: AnyHandler,
  options: BindOptions,
  files: OpenFiles,
): void {
  const { response, ...input } = routeSchemas(op)
  const signedIn = needsCaller(op.who)
  const callers = new WeakMap<FastifyRequest, Caller>()
  const bodyToCome = new WeakSet<FastifyRequest>()
  const identify = async (request: FastifyRequest) => {
    const caller = await options.authenticate(request)
    const customer = request.headers[actingHeader]
    if (customer !== undefined) {
      if (!options.actAs) throw new IngotError('not_while_acting')
      callers.set(request, await options.actAs(op, caller, String(customer)))
      return
    }
    assertMayCall(op, caller)
    await options.stepUp?.(op, caller)
    callers.set(request, caller)
  }

  app.route({
    method: op.method,
    url: op.path.replace(/\{(\w+)\}/g, ':$1'),
    schema: { ...input, response },
    validatorCompiler: compileValidator,
    // The file would be made for nobody.
    exposeHeadRoute: op.transport !== 'bytes',
    bodyLimit: op.bodyLimit ?? (signedIn ? signedInBodyLimit : publicBodyLimit),
    onRequest: async request => {
      options.assertOpen?.(op)
      if (!signedIn) {
        if (!op.actable && request.headers[actingHeader] !== undefined)
          throw new IngotError('not_while_acting')
        if (op.method !== 'GET') await options.admit?.(op, request)
        return
      }
      await identify(request)
      if (!request.raw.complete) bodyToCome.add(request)
    },
    // Whoever holds the end of a body back holds on to no right that they lose meanwhile.
    preValidation: async request => {
      if (bodyToCome.has(request)) await identify(request)
    },
    handler: async (request, reply) => {
      const values = {
        ...(request.query as object),
        // What no schema has looked at reaches no handler and no hash.
        ...(input.body ? (request.body as object) : {}),
        ...(request.params as object),
      }
      const caller = callers.get(request) ?? null
      void reply.code(op.status)
      return inAct(actOf(op, request, caller), async () => {
        if (op.transport === 'bytes') {
          const sent = reading(reply, op, options.liveCallers, files)
          if (caller) sent.readBy(caller)
          const answer = await direct(handler, values, { request, caller, ...sent }, options).catch(error => {
            if (error instanceof NoSuchPart) void reply.header('content-range', `bytes */${error.total}`)
            throw error
          })
          return sendBytes(reply, op, answer as Bytes, sent.gone)
        }
        if (op.transport === 'upload') {
          const { gone, readBy } = reading(reply, op, options.liveCallers, files)
          const body = receivedOf(op, request)
          if (caller) readBy(caller)
          const answer = await direct(handler, values, { request, caller, gone, body }, options)
          if (isOfStaff(op)) await assertAuditedCall(options.database.kysely, op.id, request.id)
          return answer
        }
        if (caller?.keyId === null && caller.actingBy)
          return readOnly(handler, values, { request, caller }, options)
        if (op.method !== 'GET' && op.transaction !== false)
          return write(op, handler, values, request, reply, caller, options)
        const answer = await direct(handler, values, { request, caller }, options)
        // It is not undone; that it is told is the least.
        if (op.method !== 'GET' && isOfStaff(op))
          await assertAuditedCall(options.database.kysely, op.id, request.id)
        return answer
      })
    },
  })
}

function actOf(op: Operation, request: FastifyRequest, caller: Caller | null): Act {
  return {
    actor: caller ? actorOf(op, caller) : 'visitor',
    role: caller?.role ?? null,
    operation: op.id,
    requestId: request.id,
    ip: callerAddress(request),
  }
}

function receivedOf({ bodyLimit }: UploadOperation, { headers, body }: FastifyRequest): Received {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : NaN))
  if (!Number.isSafeInteger(length))
    throw new IngotError('validation_failed', { fields: { 'Content-Length': 'is required' } })
  if (length > bodyLimit) throw new IngotError('body_too_large')
  return { length, data: body instanceof Readable ? body : Readable.from([]) }
}

function actorOf(op: Operation, caller: Caller): Act['actor'] {
  const { userId, keyId } = caller
  if (keyId === null && caller.actingBy) return `staff:${caller.actingBy}`
  if (isOfStaff(op)) return `staff:${userId}`
  return keyId === null ? `user:${userId}` : `key:${keyId}`
}

async function direct(
  handler: AnyHandler,
  values: Record<string, unknown>,
  context: {
    readonly request: FastifyRequest
    readonly caller: Caller | null
    readonly body?: Received
  } & Partial<Reading>,
  { database }: BindOptions,
) {
  return handler(values, {
    ...context,
    db: database.kysely,
    afterCommit: (action: () => void) => action(),
    // Nothing is rolled back where there is no transaction.
    afterRollback: () => {},
  })
}

/** What an administrator reads as a customer. A handler that writes where it was given the database fails. */
const readOnly = (
  handler: AnyHandler,
  values: Record<string, unknown>,
  context: { readonly request: FastifyRequest; readonly caller: Caller },
  { database }: BindOptions,
): Promise<unknown> =>
  database.kysely
    .transaction()
    .setAccessMode('read only')
    .execute(db =>
      handler(values, {
        ...context,
        db,
        afterCommit: (action: () => void) => action(),
        afterRollback: () => {},
      }),
    )

async function write(
  op: Operation,
  handler: AnyHandler,
  values: Record<string, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller | null,
  { database }: BindOptions,
) {
  const key = idempotencyKey(request)
  const sender = caller?.userId ?? idOf('sender', callerAddress(request) ?? '')
  const keyed = key && op.who !== 'dev' ? { caller: sender, key, operation: op.id, input: values } : null
  let actions: (() => void)[] = []
  let kept: (() => Promise<void>)[] = []
  const work = inTransaction(database.kysely, async tx => {
    actions = []
    kept = []
    const earlier = keyed && (await takeKey(tx, keyed))
    if (earlier) return earlier
    const response = await handler(values, {
      request,
      caller,
      db: tx,
      afterCommit: (action: () => void) => actions.push(action),
      afterRollback: (action: () => Promise<void>) => kept.push(action),
    })
    if (isOfStaff(op)) await assertAudited(tx, op.id)
    if (keyed) await keepAnswer(tx, keyed, { status: op.status, response })
    return { status: op.status, response }
  })
  const answer = await work.catch(async error => {
    for (const keep of kept)
      await keep().catch(cause => request.log.error({ err: cause }, 'what a refusal leaves was not kept'))
    throw error
  })
  for (const action of actions) action()
  void reply.code(answer.status)
  return answer.response
}

function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined || key === '') return null
  if (typeof key !== 'string' || key.length > maxKeyLength) {
    throw new IngotError('validation_failed', {
      fields: { 'Idempotency-Key': `may have at most ${maxKeyLength} characters` },
    })
  }
  return key
}
