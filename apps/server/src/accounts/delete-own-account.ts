/**
 * An owner deletes their account: the word typed, and proof that it is them. With a second factor the session must have
 * shown it; otherwise the password is asked, and wrong ones make the next try wait, as at sign-in.
 */
import { type BalanceChoice, deleteWord, forfeitWord } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { assertOwnPassword, getProof } from '../auth/own-proof.ts'
import type { Places } from '../auth/visitor.ts'
import type { Config } from '../config.ts'
import type { SessionCaller } from '../http/bind.ts'
import { deleteAccount, type DeleteAccountNeeds } from './delete-account.ts'

export interface DeleteOwnAccountNeeds extends DeleteAccountNeeds {
  readonly config: Pick<Config, 'loopback' | 'publicUrl' | 'auth' | 'invoices'>
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
    await assertOwnPassword(needs, caller.userId, proof, wish.password ?? '', places)
  else if (proof.aal !== 'aal2') throw new IngotError('mfa_required')
  await deleteAccount(needs, caller.userId, { by: caller.userId, balance: wish.balance ?? null })
}

const wrong = (field: string, what: string) =>
  new IngotError('validation_failed', { fields: { [field]: what } })
