import type { Tx } from '../../db/database.ts'
import type { Person } from './provider.ts'

export async function findIdentity(tx: Tx, provider: string, { subject }: Person) {
  return tx
    .selectFrom('auth_identity')
    .select(['id', 'user_id'])
    .where('provider', '=', provider)
    .where('provider_id', '=', subject)
    .executeTakeFirst()
}
