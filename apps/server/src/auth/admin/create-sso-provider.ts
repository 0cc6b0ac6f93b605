import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Body } from '../body.ts'
import { AuthError } from '../errors.ts'
import { findConnection } from '../providers/saml/queries.ts'
import { auditSsoProvider } from './audit-sso-provider.ts'
import { assignSsoDomains } from './assign-sso-domains.ts'
import { presentConnection } from './queries.ts'
import { readSsoProvider } from './sso-provider-fields.ts'

export async function createSsoProvider({ database }: { database: Database }, body: Body) {
  const asked = await readSsoProvider(body, true)
  const { entityId, xml, url } = asked.metadata!
  const made = await inTransaction(database.kysely, async tx => {
    const id = newId()
    const inserted = await tx
      .insertInto('auth_sso_provider')
      .values({
        id,
        entity_id: entityId,
        metadata_url: url,
        metadata_xml: xml,
        attribute_mapping: JSON.stringify(asked.mapping ?? {}),
        name_id_format: asked.nameIdFormat,
        disabled: asked.disabled ?? false,
      })
      .onConflict(conflict => conflict.column('entity_id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!inserted)
      throw new AuthError(
        422,
        'saml_idp_already_exists',
        `SAML Identity Provider with this EntityID (${entityId}) already exists`,
      )
    await assignSsoDomains(tx, id, asked.domains)
    const connection = (await findConnection(tx, id))!
    await auditSsoProvider(tx, null, connection)
    return connection
  })
  return presentConnection(made)
}
