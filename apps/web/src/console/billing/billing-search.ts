/** What the address holds: the search text and the status. */
import { billingStatuses } from '@ingot/contracts/billing'
import { readOne, readSearchText } from '../list/read-search.ts'
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
  search: readSearchText(search),
  status: readOne(billingStatuses, search['status']),
})
