import { sql } from 'kysely'
import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Body } from '../body.ts'
import { AuthError } from '../errors.ts'
import { findConnection } from '../providers/queries.ts'
import { assignSsoDomains } from './assign-sso-domains.ts'
import { presentConnection } from './queries.ts'
import { readSsoProvider } from './sso-provider-fields.ts'

export async function createSsoProvider({ database }: { database: Database }, body: Body) {
  const asked = await readSsoProvider(body, true)
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
    await assignSsoDomains(tx, id, asked.domains)
    return (await findConnection(tx, id))!
  })
  return presentConnection(made)
}
