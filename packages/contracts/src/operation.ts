/**
 * One operation object is the whole truth about one call: it becomes the server's route, the SDK's method and the
 * OpenAPI entry. `input` is flat: keys that stand in `{braces}` in the path travel there, the rest in the query of a
 * GET or DELETE and in the JSON body of the others.
 *
 * Schemas hold only what JSON Schema can say: no transform, refine, bigint or Date. The server checks that at start.
 */
import * as z from 'zod/mini'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call; the query's `where` decides whose row it is. `user`: signed in, or with an API key. `session`: signed
 * in only, because a key that leaks must not be able to do this. `staff`: moderators and administrators, signed in.
 * `admin`: administrators, signed in. `dev`: anyone, but only on a devnet behind loopback.
 */
export const whos = ['public', 'user', 'session', 'staff', 'admin', 'dev'] as const
export type Who = (typeof whos)[number]

/** How somebody shows who they are: not at all, with an API key, or by a signed-in session. */
export type Credential = 'none' | 'key' | 'session'
export const credentials = {
  public: ['none', 'key', 'session'],
  user: ['key', 'session'],
  session: ['session'],
  staff: ['session'],
  admin: ['session'],
  dev: ['none', 'key', 'session'],
} as const satisfies Record<Who, readonly Credential[]>

/** Whether a call must say who calls. */
export const needsCaller = (who: Who): boolean =>
  !(credentials[who] as readonly Credential[]).includes('none')
/** Whether a call that must say who calls takes an API key. */
export const takesKey = (who: Who): boolean =>
  needsCaller(who) && (credentials[who] as readonly Credential[]).includes('key')

interface Call {
  /** Unique over the whole API; the OpenAPI `operationId`. */
  readonly id: string
  readonly method: Method
  readonly path: `/${string}`
  readonly who: Who
  /**
   * Its caller must have proven within the last minutes (`freshMinutes`) that it is them: by a second factor where they
   * have one, else by their password. For money, roles, and whatever ends or opens somebody's account.
   */
  readonly fresh?: true
  /**
   * An administrator who acts as a customer may make it. A read alone, that marks, makes and wakes nothing, and shows no
   * secret, no address that money is sent to and no words of somebody else.
   */
  readonly actable?: true
  readonly summary: string
  readonly input: z.ZodMiniObject
  readonly status: 200 | 201 | 202
  /**
   * A write normally runs in one transaction with its Idempotency-Key and answer. `false`: it asks the outside world, or
   * answers with a secret that must not be kept, and opens its own transactions.
   */
  readonly transaction?: false
  /**
   * A write of customers or visitors that goes on in maintenance: it ends what costs money, takes rights away, or only
   * opens what runs.
   */
  readonly duringMaintenance?: true
  /** Bytes of body it takes, where the usual 64 KB of a public call are too few. */
  readonly bodyLimit?: number
  /** Codes that this call can answer beside the ones every call can (validation, sign-in, limits, internal). */
  readonly errors: readonly ErrorCode[]
}

/** Answers JSON. */
export interface JsonOperation extends Call {
  readonly transport?: undefined
  readonly output: z.ZodMiniType
}

/**
 * Answers a file: bytes or a stream of them, for as long as it takes. It runs in no transaction and no answer of it is
 * kept, because a client that stops reading would hold the one and fill the other.
 */
export interface BytesOperation extends Call {
  readonly transport: 'bytes'
  /** What it may answer, without parameters: `text/csv`. */
  readonly mediaTypes: readonly [string, ...string[]]
}

/**
 * Takes bytes as its body, of whatever type, with their length said before; what it is told beside them stands in path
 * and query. It answers JSON and runs in no transaction: the bytes come for as long as they take.
 */
export interface UploadOperation extends Call {
  readonly transport: 'upload'
  readonly output: z.ZodMiniType
  readonly bodyLimit: number
}

/** One call of the API. Errors are JSON whatever it answers otherwise. */
export type Operation = JsonOperation | BytesOperation | UploadOperation

/** Whether what it is told beside its path travels in the query. */
export const inQuery = (op: Pick<Operation, 'method' | 'transport'>): boolean =>
  op.method === 'GET' || op.method === 'DELETE' || op.transport === 'upload'

/** How long a proof counts, and a sign-in as one. */
export const freshMinutes = 10
/** Names the customer that the administrator who calls acts as. */
export const actingHeader = 'x-ingot-acting-as'

export const isOfStaff = ({ who }: Pick<Operation, 'who'>): boolean => who === 'staff' || who === 'admin'

export const operation = <const T extends Operation>(definition: T): T => definition

/** What a caller passes. */
export type Input<T extends Operation> = z.input<T['input']>
/** What a handler receives: defaults filled in. */
export type Parsed<T extends Operation> = z.output<T['input']>
/** What a caller gets back, where it is JSON. */
export type Output<T extends JsonOperation | UploadOperation> = z.output<T['output']>

/** Whether it is refused in maintenance: writes of customers and visitors, but those that must go on. */
export const stopsInMaintenance = ({ who, method, duringMaintenance }: Operation): boolean =>
  method !== 'GET' && (who === 'public' || who === 'user' || who === 'session') && !duringMaintenance

/** The names in `{braces}` of a path. */
export const pathKeys = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)

export const id = z.uuid()
/** Whether a text has the form of an id, in letters of either case. Looser than `id`: any version and variant. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
export const timestamp = z.iso.datetime()
/** `"0.750000"`: what every amount looks like in a response. */
export const usd = z.string().check(z.regex(/^-?[0-9]{1,13}\.[0-9]{6}$/))

/** `{items, next_cursor}`: every list. `next_cursor` is null on the last page, and only there: a search may find nothing
 * in what it looked at for one page. */
export const page = <T extends z.ZodMiniType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: z.nullable(z.string()) })

/** Paging input of every list. */
export const paging = {
  cursor: z.optional(z.string().check(z.maxLength(200))),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 50),
}
/** Letters in the search text of a list. */
export const maxSearchText = 100
export const nothing = z.object({})
