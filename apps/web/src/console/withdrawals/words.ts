import type { WithdrawalState } from '@ingot/contracts/withdrawals'
import type { StatusKind } from '../../ui/StatusShape.tsx'

export const stateWords: Readonly<Record<WithdrawalState, string>> = {
  waiting: 'Waiting',
  sending: 'Being sent',
  paid: 'Paid',
  cancelled: 'Cancelled',
  refused: 'Refused',
}

export const stateKinds: Readonly<Record<WithdrawalState, StatusKind>> = {
  waiting: 'changing',
  sending: 'changing',
  paid: 'running',
  cancelled: 'gone',
  refused: 'failed',
}

/** `TVjs…4f2K`: enough to tell one address from another. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-6)}`
