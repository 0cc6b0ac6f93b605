/**
 * An owner deletes their account: the word typed, and proof that it is them. With a second factor the session must have
 * shown it; otherwise the password is asked, and wrong ones make the next try wait, as at sign-in.
 */
import { type BalanceChoice, deleteWord, forfeitWord } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { AuthError } from '../auth/errors.ts'
import { isOwnPassword } from '../auth/is-own-password.ts'
import { defaultSettings } from '../auth/settings.ts'
import type { Places } from '../auth/visitor.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { SessionCaller } from '../http/bind.ts'
import { deleteAccount, type DeleteAccountNeeds } from './delete-account.ts'
import { getProof, type Proof } from './queries.ts'

export interface DeleteOwnAccountNeeds extends DeleteAccountNeeds {
  readonly config: Pick<Config, 'loopback' | 'publicUrl' | 'auth'>
}

export interface DeletionWish {
  readonly confirmation: string
  readonly password?: string
  readonly balance?: BalanceChoice
  readonly forfeit_confirmation?: string
}

export async function deleteOwnAccount(
  needs: DeleteOwnAccountNeeds,
  caller: SessionCaller,
  wish: DeletionWish,
  places: Places,
): Promise<void> {
  if (wish.confirmation !== deleteWord) throw wrong('confirmation', `Please type ${deleteWord} to confirm`)
  if (wish.balance === 'forfeit' && wish.forfeit_confirmation !== forfeitWord)
    throw wrong('forfeit_confirmation', `Please type ${forfeitWord} to confirm`)
  const proof = await getProof(needs.database.kysely, caller)
  if (proof.kind === 'password')
    await assertPassword(needs, caller.userId, proof, wish.password ?? '', places)
  else if (proof.aal !== 'aal2') throw new IngotError('mfa_required')
  await deleteAccount(needs, caller.userId, { by: caller.userId, balance: wish.balance ?? null })
}

const wrong = (field: string, what: string) =>
  new IngotError('validation_failed', { fields: { [field]: what } })

async function assertPassword(
  { database, config }: { database: Database; config: Pick<Config, 'loopback' | 'auth'> },
  userId: string,
  { address, password_hash }: Proof,
  password: string,
  places: Places,
): Promise<void> {
  if (!password_hash)
    throw wrong('password', 'Your account has none yet: set one with “Forgot password”, then come back')
  if (!password) throw wrong('password', 'Enter your password')
  const tries = { who: address ?? userId, userId, places }
  const limited = { database, settings: defaultSettings(config) }
  if (!(await orRateLimited(isOwnPassword(limited, tries, password_hash, password))))
    throw wrong('password', 'The password is wrong')
}

/** The auth service's 429 in this API's shape. */
async function orRateLimited<T>(check: Promise<T>): Promise<T> {
  try {
    return await check
  } catch (error) {
    if (error instanceof AuthError) throw new IngotError('rate_limited', { message: error.message })
    throw error
  }
}
