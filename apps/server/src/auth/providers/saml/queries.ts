/** Reads of SAML connections: rows that administrators make, found by id or by the domain of an address. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'

export interface Connection {
  readonly id: string
  readonly entity_id: string
  readonly metadata_url: string | null
  readonly metadata_xml: string
  readonly attribute_mapping: AttributeMapping
  readonly name_id_format: string | null
  readonly disabled: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly domains: readonly {
    readonly id: string
    readonly domain: string
    readonly created_at: string
    readonly updated_at: string
  }[]
}

export interface AttributeMapping {
  readonly keys?: Readonly<Record<string, MappedAttribute>>
}

export interface MappedAttribute {
  readonly name?: string
  readonly names?: readonly string[]
  readonly default?: unknown
  readonly array?: boolean
}

const columns = sql`
  c.id, c.entity_id, c.metadata_url, c.metadata_xml, c.attribute_mapping, c.name_id_format, c.disabled, c.created_at,
  c.updated_at, coalesce((
    select json_agg(json_build_object('id', d.id, 'domain', d.domain, 'created_at', rfc3339(d.created_at),
      'updated_at', rfc3339(d.updated_at)) order by d.domain)
    from auth_sso_domain d where d.sso_provider_id = c.id), '[]') as domains`

export async function listConnections(db: Db): Promise<Connection[]> {
  const { rows } =
    await sql<Connection>`select ${columns} from auth_sso_provider c order by c.created_at, c.id`.execute(db)
  return rows
}

export async function findConnection(db: Db | Tx, id: string): Promise<Connection | null> {
  const { rows } =
    await sql<Connection>`select ${columns} from auth_sso_provider c where c.id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findConnectionByDomain(db: Db | Tx, domain: string): Promise<Connection | null> {
  const { rows } = await sql<Connection>`
    select ${columns} from auth_sso_provider c join auth_sso_domain d on d.sso_provider_id = c.id
    where d.domain = ${domain.toLowerCase()}`.execute(db)
  return rows[0] ?? null
}
