/**
 * Ends an account for good, in one transaction: whatever costs money is charged up to now, what is left of what was
 * prepaid returns, and each noun ends its own (the loop destroys machines); the balance is refunded by request or given up; everything personal is erased.
 * The user's row stays, empty, because transfers name it. Repeating it does nothing. Whoever calls it has made sure
 * that this is wanted: the owner by proof (`delete-own-account.ts`), an administrator by role.
 */
import type { BalanceChoice, DeletionBlock } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { type Micro, moneyText } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { assertAnotherAdministrator } from '../auth/assert-another-administrator.ts'
import { closeMonths } from '../billing/invoices/issue-invoices.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { closeWallet, endMeters, lockWallet, openHolds, walletBalance } from '../ledger/ledger.ts'
import { endWaits } from '../instances/queue/end-waits.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import type { Signals } from '../worker/signals.ts'
import { goodbye } from './goodbye.ts'

interface EndNeeds {
  readonly config: Pick<Config, 'publicUrl' | 'invoices'>
  readonly clock: Clock
  readonly vault: Vault
}

export interface DeleteAccountNeeds extends EndNeeds {
  readonly database: Database
  readonly signals: Signals
}

export interface Deletion {
  /** The id of whoever wants it: the user's own, or an administrator's. */
  readonly by: string
  /** What becomes of a positive balance; without a choice there must be none. */
  readonly balance: BalanceChoice | null
}

export async function deleteAccount(
  needs: DeleteAccountNeeds,
  userId: string,
  deletion: Deletion,
): Promise<void> {
  await inTransaction(needs.database.kysely, tx => endAccount(tx, needs, userId, deletion))
  wakeAfterDeletion(needs, userId)
}

/** What has work to do once an account's end is on disk. */
export function wakeAfterDeletion({ signals }: { readonly signals: Signals }, userId: string): void {
  for (const topic of [
    'gpu_instances',
    'network_volumes',
    'volume_snapshots',
    'wallets',
    'mail',
    `user:${userId}`,
  ] as const)
    signals.send(topic)
}

interface Leaving {
  readonly email: string | null
  readonly phone: string | null
}

/** The same in the caller's transaction; `wakeAfterDeletion` follows its commit. */
export async function endAccount(tx: Tx, needs: EndNeeds, userId: string, deletion: Deletion): Promise<void> {
  const { config, clock, vault } = needs
  const found = await tx
    .selectFrom('auth_user')
    .select('deleted_at')
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!found) throw new IngotError('not_found')
  if (found.deleted_at) return
  await lockWallet(tx, userId)
  const user = await tx
    .selectFrom('auth_user')
    .select(['email', 'phone', 'deleted_at'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (user.deleted_at) return
  await assertAnotherAdministrator(tx, userId)

  await endWaits(tx, userId, clock.iso())
  const blocks = await openHolds(tx, userId)
  if (blocks.length) throw new IngotError('invalid_state', { message: whyBlocked(blocks) })
  await endMeters(tx, userId, clock.iso())
  const amount = await walletBalance(tx, userId)
  await settleBalance(tx, needs, userId, amount, deletion.balance)

  // Nothing is charged to it any more: what is on no invoice yet is numbered while its name is known.
  await closeMonths(tx, needs, userId, clock.iso().slice(0, 7), clock.iso(), true)
  await sql`select erase_user(${userId})`.execute(tx)
  await keepContact(tx, vault, userId, user)
  await appendEvent(tx, {
    userId,
    type: 'account.deleted',
    at: clock.iso(),
    data: { by: deletion.by === userId ? 'owner' : deletion.by },
  })
  if (user.email) {
    const host = new URL(config.publicUrl).host
    await queueMail(tx, vault, goodbye({ to: user.email, host, balance: deletion.balance, amount }))
  }
}

const whyBlocked = (blocks: readonly DeletionBlock[]): string =>
  blocks.includes('withdrawal')
    ? 'A withdrawal is under way. The account can be deleted once it has ended.'
    : 'Part of your balance is on hold. The account can be deleted once that is settled.'

async function settleBalance(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  amount: Micro,
  choice: BalanceChoice | null,
): Promise<void> {
  if (amount > 0n && choice === null) {
    throw new IngotError('validation_failed', {
      fields: { balance: `${moneyText(amount)} is left: request a refund or give it up` },
    })
  }
  const at = clock.iso()
  const id = newId()
  // An empty one is closed too: no last look at a machine may put something back into it.
  await closeWallet(tx, userId, choice, id, at)
  if (amount === 0n || choice !== 'refund') return
  await sql`select request_refund(${id}, ${userId}, ${at})`.execute(tx)
}

/** Where to write to, for what is owed: the rest of the wallet, and deposits that were below the minimum. */
async function keepContact(tx: Tx, vault: Vault, userId: string, { email, phone }: Leaving): Promise<void> {
  const contact = email ?? (phone && `+${phone}`)
  if (!contact) return
  const requests = await tx.selectFrom('refund_request').select('id').where('user_id', '=', userId).execute()
  for (const { id } of requests)
    await tx
      .updateTable('refund_request')
      .set({ contact_sealed: vault.seal(contact, `refund:${id}`) })
      .where('id', '=', id)
      .execute()
}
