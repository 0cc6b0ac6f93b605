/**
 * Users and SAML connections as administrators find them. The empty row that a deleted account leaves to its transfers
 * is nobody.
 */
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { escapeLike } from '../../db/escape-like.ts'
import { isId } from '@ingot/contracts/operation'
import { AuthError } from '../errors.ts'
import { type Connection, findConnection, listConnections } from '../providers/saml/queries.ts'
import { findUserById, userColumns, type UserRow } from '../queries.ts'
import type { UserPage } from './user-pages.ts'

export const noSuchUser = () => new AuthError(404, 'user_not_found', 'User not found')

export async function findUser({ database }: { database: Database }, id: string): Promise<UserRow> {
  if (!isId(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID')
  const user = await findUserById(database.kysely, id)
  if (!user || user.deleted_at) throw noSuchUser()
  return user
}

/** Newest first. */
export async function listUsers({ database }: { database: Database }, { page, perPage, filter }: UserPage) {
  const pattern = `%${escapeLike(filter)}%`
  const matches = sql`u.deleted_at is null and (${filter} = '' or u.email like ${pattern} or u.phone like ${pattern}
    or u.id::text = ${filter} or u.user_metadata->>'full_name' ilike ${pattern})`
  const { rows } = await sql<UserRow>`
    select ${userColumns} from auth_user u where ${matches}
    order by u.created_at desc, u.id desc limit ${perPage} offset ${(page - 1) * perPage}`.execute(
    database.kysely,
  )
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from auth_user u where ${matches}`.execute(database.kysely)
  return { users: rows, total: counted[0]!.total }
}

export function presentConnection(connection: Connection, withMetadata = true) {
  const { id, disabled, domains, created_at, updated_at } = connection
  return {
    id,
    disabled,
    saml: {
      entity_id: connection.entity_id,
      ...(withMetadata ? { metadata_xml: connection.metadata_xml } : {}),
      metadata_url: connection.metadata_url ?? undefined,
      attribute_mapping: connection.attribute_mapping,
      name_id_format: connection.name_id_format ?? undefined,
    },
    domains,
    created_at,
    updated_at,
  }
}

export async function listSsoProviders({ database }: { database: Database }) {
  const connections = await listConnections(database.kysely)
  return { items: connections.map(each => presentConnection(each, false)) }
}

export async function getSsoProvider({ database }: { database: Database }, id: string): Promise<Connection> {
  const found = isId(id) ? await findConnection(database.kysely, id) : null
  if (!found) throw new AuthError(404, 'sso_provider_not_found', 'SSO Identity Provider not found')
  return found
}
