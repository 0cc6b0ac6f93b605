/**
 * The role that the server connects as. It reads everything and writes everything but money, spans and the audit log
 * (`rights.ts`): those only through functions that run with the rights of a second role, which nobody logs in as. Tables
 * stay with whoever migrates, so neither of the two can change one or switch off a trigger.
 *
 * Roles belong to a whole PostgreSQL, so they are named after the database. Where they cannot be had, the server goes on
 * as the owner of everything, and says what is lost.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { schemaLock } from './migrate.ts'
import { planRights, type Roles } from './rights-plan.ts'
import { withLogin, withOptions } from './url.ts'

export interface ServerRole {
  /** What the server connects to. */
  readonly url: string
  /** What is missing, for the operator, as a sentence; null where nothing is. */
  readonly lost: string | null
}

/**
 * One step after the migrations; it changes nothing where all is as it should be. `url` is the owner's. `password` is
 * known to this server alone, and the same at every start.
 */
export async function openServerRole(url: string, password: string): Promise<ServerRole> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [schemaLock])
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    const roles = rolesOf(rows[0]!.name)
    const refusal = await limitRights(client, roles)
    return refusal
      ? { url, lost: `The database role without rights on money was not made (${refusal}). ${asOwner}` }
      : await connectAs(client, url, roles.server, password)
  } finally {
    await client.end()
  }
}

const asOwner =
  'The server connects as the owner of its tables: a fault in it, or a statement that somebody smuggles in, could change balances, movements and the audit log. docs/operations.md says what the user of DATABASE_URL needs'
const asMember =
  'The database role without rights on money cannot log in by itself. The server takes it after logging in as the user of DATABASE_URL, and a statement that somebody smuggles in could leave it again. docs/operations.md says what is needed'

/** PostgreSQL cuts names off at 63 bytes: both would be the same. */
const longestName = 50

export function rolesOf(database: string): Roles {
  const name =
    Buffer.byteLength(database) > longestName
      ? createHash('sha256').update(database).digest('hex').slice(0, longestName)
      : database
  return { money: `${name}_money`, server: `${name}_server` }
}

const mayNot = '42501'

/** All of it or nothing. Answers why it may not be. */
async function limitRights(client: pg.Client, roles: Roles): Promise<string | null> {
  await client.query('begin')
  try {
    for (const role of [roles.money, roles.server]) await makeRole(client, role)
    if (await mayMore(client, roles)) {
      await client.query('rollback')
      return `the role ${roles.server} was there and can give itself any right: it is a superuser, may create roles, or is, or is a member of, the owner of the tables`
    }
    const statements = await planRights(client, roles)
    if (statements.length) {
      // Who is given a function must be allowed to make one, unless a superuser gives it.
      const money = pg.escapeIdentifier(roles.money)
      await client.query(
        [
          `grant create on schema public to ${money}`,
          ...statements,
          `revoke create on schema public from ${money}`,
        ].join(';\n'),
      )
    }
    await client.query('commit')
    return null
  } catch (error) {
    await client.query('rollback')
    if ((error as { code?: string }).code !== mayNot) throw error
    return (error as Error).message
  }
}

/** A role of that name that somebody else made may have what no revoke takes away. */
async function mayMore(client: pg.Client, { money, server }: Roles): Promise<boolean> {
  const { rows } = await client.query<{ more: boolean }>(
    `select rolcreaterole or exists (
        select from pg_roles other where pg_has_role(r.oid, other.oid, 'member') and (other.rolname in ($1, 'pg_write_all_data')
          or other.oid in (select relowner from pg_class where relnamespace = 'public'::regnamespace))) as more
      from pg_roles r where rolname = $2`,
    [money, server],
  )
  return rows[0]!.more
}

/** Whoever migrates is a member: it replaces functions that are the role's. */
async function makeRole(client: pg.Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (!rowCount) await client.query(`create role ${name} nologin`)
  const { rows } = await client.query<{ is_member: boolean }>(
    "select pg_has_role(current_user, $1, 'usage') as is_member",
    [role],
  )
  if (!rows[0]!.is_member) await client.query(`grant ${name} to current_user`)
}

async function connectAs(
  client: pg.Client,
  url: string,
  role: string,
  password: string,
): Promise<ServerRole> {
  const own = withLogin(url, role, password)
  if (await lets(own, role)) return { url: own, lost: null }
  const isSet = await client
    .query(`alter role ${pg.escapeIdentifier(role)} login password ${pg.escapeLiteral(password)}`)
    .then(
      () => true,
      () => false,
    )
  if (isSet && (await lets(own, role))) return { url: own, lost: null }
  const taken = withOptions(url, `-c role=${role.replaceAll(/[\\ ]/g, '\\$&')}`)
  return (await lets(taken, role)) ? { url: taken, lost: asMember } : { url, lost: asOwner }
}

/** Whether a session at this address is in that role. What is no refusal (nobody answers, no place is free) is thrown. */
async function lets(url: string, role: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select current_user as name')
    return rows[0]!.name === role
  } catch (error) {
    // Wrong login, no entry in pg_hba.conf, a pooler that knows no such user or setting, no such role.
    if (/^(28|08P01|42|22)/.test((error as { code?: string }).code ?? '')) return false
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}
