import type { Tx } from '../../db/database.ts'
import { emailExists, phoneExists } from '../errors.ts'
import { isEmailTaken, isPhoneTaken } from '../queries.ts'
import type { UserFields } from './user-fields.ts'

/** Refuses an address or a phone that another user has. */
export async function assertAddressFree(tx: Tx, userId: string, { email, phone }: UserFields): Promise<void> {
  if (email && (await isEmailTaken(tx, email, userId))) throw emailExists()
  if (phone && (await isPhoneTaken(tx, phone, userId))) throw phoneExists()
}
