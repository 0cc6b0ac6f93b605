/** What every way to an account with an identity shares. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Person, ProviderEmail } from './provider.ts'

/** Lets in one arrival at a time per identity: two must not make two accounts. The lock ends with the transaction. */
export async function lockSubject(tx: Tx, provider: string, { subject }: Person): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`identity:${provider}:${subject}`}, 0))`.execute(
    tx,
  )
}

export async function addIdentity(
  tx: Tx,
  provider: string,
  { subject, data }: Person,
  userId: string,
): Promise<string> {
  const id = newId()
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    values (${id}, ${userId}, ${provider}, ${subject}, ${JSON.stringify(data)}, now())`.execute(tx)
  return id
}

export function chooseEmail(emails: readonly ProviderEmail[]): ProviderEmail | undefined {
  return (
    emails.find(each => each.primary && each.verified) ??
    emails.find(each => each.verified) ??
    emails.find(each => each.primary) ??
    emails[0]
  )
}
