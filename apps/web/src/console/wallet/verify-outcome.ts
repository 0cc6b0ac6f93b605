/**
 * What became of a payment, in the words the person reads. The four outcomes of a check: confirmed, taken but not
 * final, refused by the reply, and a call that failed.
 */
import { IngotError } from '@ingot/contracts/errors'
import { alreadyProcessed, type wallets } from '@ingot/contracts/wallet'
import type { Output } from '@ingot/contracts/operation'
import type { AppToast } from '../../ui/app-toast.ts'
import { formatMoney } from '../../ui/format.ts'

type Verdict = Output<typeof wallets.verifyUsdtPayment>

export interface VerifyOutcome {
  readonly toast: AppToast
  /** The dialog is done; otherwise it stays as it is. */
  readonly isDone: boolean
  /** Said at the hash as well, when the hash itself is wrong. */
  readonly fieldError?: string
}

/** `entered`: what the person says was sent, for a reply that does not say what arrived. */
export function outcomeOf(verdict: Verdict, entered: string): VerifyOutcome {
  const { success, status, actualAmount, error } = verdict
  if (success && status === 'confirmed') {
    const credited = actualAmount === null ? entered : actualAmount.toFixed(6)
    return {
      isDone: true,
      toast: {
        title: 'Payment Confirmed!',
        description: `Your wallet has been credited with ${formatMoney(credited)}`,
      },
    }
  }
  if (success)
    return {
      isDone: true,
      toast: {
        title: 'Payment Submitted',
        description: 'Your payment is being processed. Your balance will update shortly.',
      },
    }
  if (error === alreadyProcessed)
    return {
      isDone: false,
      toast: {
        title: 'Already Processed',
        description: `This transaction was already processed (Status: ${status})`,
      },
    }
  return {
    isDone: false,
    toast: {
      title: 'Payment Issue',
      description: error ?? 'The payment could not be found.',
      variant: 'destructive',
    },
  }
}

const hashWords = 'A transaction hash has 64 characters, 0–9 and a–f.'

/** The call itself failed: the service refused it, or it could not be reached. */
export function failureOf(error: unknown): VerifyOutcome {
  const isHash = error instanceof IngotError && error.code === 'validation_failed'
  const description = isHash
    ? hashWords
    : error instanceof IngotError
      ? error.message
      : 'Failed to verify payment. Please try again or contact support.'
  return {
    isDone: false,
    toast: { title: 'Verification Failed', description, variant: 'destructive' },
    fieldError: isHash ? hashWords : undefined,
  }
}
