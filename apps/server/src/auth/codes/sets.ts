/** What a request set on an account that waits for its first proof: it lies with the link or code of that request. */
import type { Tx } from '../../db/database.ts'
import type { OtpKind, TypedKind } from './otp.ts'

export interface Sets {
  readonly passwordHash?: string | null
  readonly identityId?: string | null
}

/** What the newest request set, for a link or code that is sent again. */
export async function findSets(tx: Tx, userId: string, kind: OtpKind | TypedKind): Promise<Sets> {
  const row = await tx
    .selectFrom('auth_otp')
    .select(['password_hash as passwordHash', 'identity_id as identityId'])
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ?? {}
}
