import { appendAudit } from '../../db/audit-log.ts'
import type { Tx } from '../../db/database.ts'
import type { Connection } from '../providers/saml/queries.ts'

/** Notes what an administrator did to a connection. Null: there was, or is, none. */
export async function auditSsoProvider(
  tx: Tx,
  before: Connection | null,
  after: Connection | null,
): Promise<void> {
  const isOther = (part: (connection: Connection) => unknown) =>
    before !== null && after !== null && JSON.stringify(part(before)) !== JSON.stringify(part(after))
  const changed = {
    ...(isOther(each => each.metadata_xml) ? { metadata: 'changed' } : {}),
    ...(isOther(each => each.attribute_mapping) ? { attribute_mapping: 'changed' } : {}),
  }
  await appendAudit(tx, {
    kind: 'sso_provider',
    id: (after ?? before)!.id,
    userId: null,
    before: plain(before),
    after: { ...plain(after), ...changed },
  })
}

const plain = (connection: Connection | null) =>
  connection && {
    entity_id: connection.entity_id,
    domains: connection.domains.map(({ domain }) => domain).join(' '),
    name_id_format: connection.name_id_format,
    disabled: connection.disabled,
  }
