import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { AuthError } from '../errors.ts'
import { findConnectionByDomain } from '../providers/saml/queries.ts'

/** Leads domains to a connection. The given ones are all of its own; each leads to one connection. Null: they stay. */
export async function assignSsoDomains(tx: Tx, id: string, domains: readonly string[] | null): Promise<void> {
  if (!domains) return
  await sql`delete from auth_sso_domain where sso_provider_id = ${id} and domain <> all(${domains})`.execute(
    tx,
  )
  for (const domain of domains) {
    await tx
      .insertInto('auth_sso_domain')
      .values({ id: newId(), sso_provider_id: id, domain })
      .onConflict(conflict => conflict.column('domain').doNothing())
      .execute()
    const owner = await findConnectionByDomain(tx, domain)
    if (owner?.id !== id)
      throw new AuthError(
        400,
        'sso_domain_already_exists',
        `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner?.id})`,
      )
  }
}
