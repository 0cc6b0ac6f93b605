/** /admin/sso/providers: SAML connections. The identity provider's metadata says who it is; its domains lead to it. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import {
  type Connection,
  findConnection,
  findConnectionByDomain,
  listConnections,
} from '../providers/connections.ts'
import { emailAddress, persistent } from '../providers/saml.ts'
import { fetchMetadata, maxMetadata, readMetadata } from '../providers/saml-metadata.ts'
import type { AuthServices } from '../services.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const nameIdFormats = [
  persistent,
  emailAddress,
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
]
const domainForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/
const maxDomains = 100

interface Asked {
  readonly metadata: { readonly entityId: string; readonly xml: string; readonly url: string | null } | null
  /** Null: not given. */
  readonly domains: readonly string[] | null
  readonly mapping: Record<string, unknown> | null
  readonly nameIdFormat: string | null
  readonly disabled: boolean | null
}

async function readAsked(body: Body, isNew: boolean): Promise<Asked> {
  const url = body.text('metadata_url', 2048)
  const xml = body.text('metadata_xml', maxMetadata)
  if (isNew && body.text('type', 64) !== 'saml') throw invalid("Only 'saml' supported for SSO provider type")
  if (url && xml) throw invalid('Only one of metadata_xml or metadata_url needs to be set')
  if (isNew && !url && !xml) throw invalid('Either metadata_xml or metadata_url must be set')
  if (url && !URL.canParse(url)) throw invalid('metadata_url is not a valid URL')
  if (url && new URL(url).protocol !== 'https:') throw invalid('metadata_url is not a HTTPS URL')
  const nameIdFormat = body.text('name_id_format')
  if (nameIdFormat && !nameIdFormats.includes(nameIdFormat))
    throw invalid(`name_id_format must be unspecified or one of ${nameIdFormats.join(', ')}`)
  return {
    domains: readDomains(body),
    mapping: readMapping(body.object('attribute_mapping')),
    nameIdFormat: nameIdFormat || null,
    disabled: body.has('disabled') ? body.flag('disabled', false) : null,
    metadata: url || xml ? await readGiven(url, xml) : null,
  }
}

async function readGiven(url: string, given: string) {
  const xml = given || (await fetchMetadata(url))
  const { entityId } = await readMetadata(xml)
  return { entityId, xml, url: url || null }
}

function readDomains(body: Body): readonly string[] | null {
  const domains = body.texts('domains', maxDomains)?.map(domain => domain.trim().toLowerCase())
  const wrong = domains?.find(domain => domain.length > 253 || !domainForm.test(domain))
  if (wrong !== undefined) throw invalid(`${JSON.stringify(wrong)} is not a domain`)
  return domains ? [...new Set(domains)] : null
}

/** `{keys: {claim: {name | names, default, array}}}` */
function readMapping(mapping: Record<string, unknown> | null): Record<string, unknown> | null {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const keys = mapping?.['keys'] ?? {}
  const isMapped = (value: unknown): boolean =>
    isRecord(value) &&
    ['string', 'undefined'].includes(typeof value['name']) &&
    (value['names'] === undefined ||
      (Array.isArray(value['names']) && value['names'].every(name => typeof name === 'string')))
  if (!isRecord(keys) || !Object.values(keys).every(isMapped))
    throw invalid('attribute_mapping must be {"keys": {"claim": {"name": "attribute"}}}')
  return mapping
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

export async function listSsoProviders({ database }: AuthServices) {
  const connections = await listConnections(database.kysely)
  return { items: connections.map(each => presentConnection(each, false)) }
}

export async function getSsoProvider({ database }: AuthServices, id: string): Promise<Connection> {
  const found = uuid.test(id) ? await findConnection(database.kysely, id) : null
  if (!found) throw new AuthError(404, 'sso_provider_not_found', 'SSO Identity Provider not found')
  return found
}

export async function createSsoProvider({ database }: AuthServices, body: Body) {
  const asked = await readAsked(body, true)
  const { entityId, xml, url } = asked.metadata!
  const made = await inTransaction(database.kysely, async tx => {
    const id = newId()
    const { rows } = await sql`
      insert into auth_sso_provider (id, entity_id, metadata_url, metadata_xml, attribute_mapping, name_id_format, disabled)
      values (${id}, ${entityId}, ${url}, ${xml}, ${JSON.stringify(asked.mapping ?? {})}, ${asked.nameIdFormat},
        ${asked.disabled ?? false})
      on conflict (entity_id) do nothing returning id`.execute(tx)
    if (rows.length === 0)
      throw new AuthError(
        422,
        'saml_idp_already_exists',
        `SAML Identity Provider with this EntityID (${entityId}) already exists`,
      )
    await assignDomains(tx, id, asked.domains)
    return (await findConnection(tx, id))!
  })
  return presentConnection(made)
}

export async function updateSsoProvider(auth: AuthServices, id: string, body: Body) {
  const before = await getSsoProvider(auth, id)
  const { metadata, domains, mapping, nameIdFormat, disabled } = await readAsked(body, false)
  if (metadata && metadata.entityId !== before.entity_id)
    throw new AuthError(
      400,
      'saml_entity_id_mismatch',
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${before.entity_id}' but got '${metadata.entityId}'`,
    )
  const after = await inTransaction(auth.database.kysely, async tx => {
    await sql`
      update auth_sso_provider set updated_at = now(),
        metadata_xml = coalesce(${metadata?.xml ?? null}, metadata_xml),
        metadata_url = coalesce(${metadata?.url ?? null}, metadata_url),
        attribute_mapping = coalesce(${mapping && JSON.stringify(mapping)}::jsonb, attribute_mapping),
        name_id_format = case when ${body.has('name_id_format')} then ${nameIdFormat} else name_id_format end,
        disabled = coalesce(${disabled}::boolean, disabled)
      where id = ${id}`.execute(tx)
    await assignDomains(tx, id, domains)
    return findConnection(tx, id)
  })
  return presentConnection(after ?? before)
}

/** Given domains are all of them; each leads to one connection. */
async function assignDomains(tx: Tx, id: string, domains: readonly string[] | null): Promise<void> {
  if (!domains) return
  await sql`delete from auth_sso_domain where sso_provider_id = ${id} and domain <> all(${domains})`.execute(
    tx,
  )
  for (const domain of domains) {
    await sql`
      insert into auth_sso_domain (id, sso_provider_id, domain) values (${newId()}, ${id}, ${domain})
      on conflict (domain) do nothing`.execute(tx)
    const owner = await findConnectionByDomain(tx, domain)
    if (owner?.id !== id)
      throw new AuthError(
        400,
        'sso_domain_already_exists',
        `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner?.id})`,
      )
  }
}

/** Its users keep their accounts, and get no further sessions through it. */
export async function deleteSsoProvider(auth: AuthServices, id: string) {
  const connection = await getSsoProvider(auth, id)
  await sql`delete from auth_sso_provider where id = ${id}`.execute(auth.database.kysely)
  return presentConnection(connection)
}
