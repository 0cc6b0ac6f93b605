/** Payments in words. */
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import { approvedConfirmations, type Payment } from '@ingot/contracts/payments'
import type { Tone } from '../../../ui/Badge.tsx'

export const paymentTones: Record<Payment['status'], Tone> = {
  pending: 'warn',
  confirmed: 'ok',
  failed: 'danger',
}

/** Why one is pending or failed. */
const reasons: Record<NonNullable<Payment['reason']>, string> = {
  arriving: 'not final yet',
  below_minimum: `under the minimum of $${minimumDepositUsdt}`,
  review: 'over the limit for a look by a person',
  rejected: 'rejected',
  dropped: 'its block was replaced before it was final',
  account_deleted: 'the account is deleted; it is to be sent back',
}
export const reasonText = (reason: string | null): string =>
  (reason && (reasons as Partial<Record<string, string>>)[reason]) ?? reason ?? ''

/** Of how many the specification’s list counts confirmations. */
const outOf = 6
/** `4/6`, and `12/6` of what is approved: the specification’s count. Beside it stands what was seen. */
export const confirmationsText = ({
  status,
  confirmations,
}: Pick<Payment, 'status' | 'confirmations'>): string =>
  `${status === 'confirmed' ? approvedConfirmations : Math.min(confirmations, outOf)}/${outOf}`
