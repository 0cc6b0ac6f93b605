/** What the address holds: the search text and the status. Anything unknown counts as absent. */
import { billingStatuses } from '@ingot/contracts/billing'
import type { SearchText } from '../list/search-state.ts'

type Status = (typeof billingStatuses)[number]

export const statusWords: Record<Status, string> = {
  paid: 'Paid',
  pending: 'Pending',
  failed: 'Failed',
  refunded: 'Refunded',
}

export interface BillingFilter {
  readonly search: string
  readonly status: Status | undefined
}

export const readBillingSearch = (search: SearchText): BillingFilter => ({
  search: (search['search'] ?? '').slice(0, 100),
  status: billingStatuses.find(known => known === search['status']),
})
