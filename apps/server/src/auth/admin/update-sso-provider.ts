import { sql } from 'kysely'
import { type Database, inTransaction } from '../../db/database.ts'
import type { Body } from '../body.ts'
import { AuthError } from '../errors.ts'
import { findConnection } from '../providers/saml/queries.ts'
import { auditSsoProvider } from './audit-sso-provider.ts'
import { assignSsoDomains } from './assign-sso-domains.ts'
import { getSsoProvider, presentConnection } from './queries.ts'
import { readSsoProvider } from './sso-provider-fields.ts'

export async function updateSsoProvider(needs: { database: Database }, id: string, body: Body) {
  const before = await getSsoProvider(needs, id)
  const { metadata, domains, mapping, nameIdFormat, disabled } = await readSsoProvider(body, false)
  if (metadata && metadata.entityId !== before.entity_id)
    throw new AuthError(
      400,
      'saml_entity_id_mismatch',
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${before.entity_id}' but got '${metadata.entityId}'`,
    )
  const after = await inTransaction(needs.database.kysely, async tx => {
    await sql`
      update auth_sso_provider set updated_at = now(),
        metadata_xml = coalesce(${metadata?.xml ?? null}, metadata_xml),
        metadata_url = coalesce(${metadata?.url ?? null}, metadata_url),
        attribute_mapping = coalesce(${mapping && JSON.stringify(mapping)}::jsonb, attribute_mapping),
        name_id_format = case when ${body.has('name_id_format')} then ${nameIdFormat} else name_id_format end,
        disabled = coalesce(${disabled}::boolean, disabled)
      where id = ${id}`.execute(tx)
    await assignSsoDomains(tx, id, domains)
    const after = await findConnection(tx, id)
    if (after) await auditSsoProvider(tx, before, after)
    return after
  })
  return presentConnection(after ?? before)
}
