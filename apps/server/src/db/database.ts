/**
 * The way to PostgreSQL. `bigint` columns arrive as BigInt and `timestamptz` as the RFC 3339 UTC string of the wire, so
 * no code between a row and a response converts anything. Hot paths use `pool` with named statements, the rest
 * `kysely`.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type RawBuilder,
  type Transaction,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { actSettings } from './act.ts'
import type { Tables } from './tables.ts'
import { withOptions } from './url.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  readonly kysely: Db
  readonly pool: pg.Pool
  readonly url: string
  close(): Promise<void>
}

const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, BigInt],
  [pg.types.builtins.TIMESTAMPTZ, toRfc3339],
])
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) ||
    pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** `2026-11-21 01:42:07.5+00` → `2026-11-21T01:42:07.500Z`. The session's zone is always UTC. */
function toRfc3339(text: string): string {
  const [, date, time, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? []
  if (!date) return text // 'infinity'
  return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

export function openDatabase(
  url: string,
  options: { max?: number; applicationName?: string } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: withOptions(url, '-c TimeZone=UTC -c DateStyle=ISO'),
    max: options.max ?? 16,
    application_name: options.applicationName ?? 'ingot',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    types,
  })
  // A connection that breaks, idle or between two statements of a transaction, is replaced by the pool, and the next
  // statement on it fails; without a listener it would end the process.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return {
    pool,
    url,
    kysely: new Kysely<Tables>({ dialect: new Dialect(pool) }),
    close: () => pool.end(),
  }
}

/** Transactions that say who does what they do. */
class Dialect extends PostgresDialect {
  readonly #pool: pg.Pool
  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }
  override createDriver(): PostgresDriver {
    return new Driver({ pool: this.#pool })
  }
}
class Driver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const begin = ['begin', isolationLevel && `isolation level ${isolationLevel}`, accessMode]
    const statements = [begin.filter(Boolean).join(' '), ...actSettings()]
    // One message: saying who costs no further round trip.
    await connection.executeQuery(CompiledQuery.raw(statements.join('; ')))
  }
}

/** A statement whose text is always the same, planned once for a connection. */
export async function named<T extends object>(
  name: string,
  query: RawBuilder<T>,
  { kysely, pool }: Pick<Database, 'kysely' | 'pool'>,
): Promise<{ rows: T[] }> {
  const { sql: text, parameters } = query.compile(kysely)
  return pool.query<T>({ name, text, values: [...parameters] })
}

const retryable = new Set(['40001', '40P01'])
const attempts = 3

/** Runs `work` in one transaction, again when PostgreSQL chose it to break a deadlock: so `work` touches only `tx`. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === attempts || !retryable.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}
