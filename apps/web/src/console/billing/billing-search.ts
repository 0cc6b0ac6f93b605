/** What the address holds: how the bill is narrowed down. */
import { billedKinds, type BillingEntry, billingLineKinds, billingStatuses } from '@ingot/contracts/billing'
import type { Tone } from '../../ui/Badge.tsx'
import { readId, readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export const statusWords: Record<BillingEntry['status'], string> = {
  paid: 'Paid',
  pending: 'Pending',
  failed: 'Failed',
  refunded: 'Refunded',
}

export const statusTones: Record<BillingEntry['status'], Tone> = {
  paid: 'neutral',
  pending: 'info',
  failed: 'danger',
  refunded: 'ok',
}

export const kindWords: Record<BillingEntry['kind'], string> = {
  deposit: 'Deposit',
  deploy: 'Deploy',
  term: 'Upfront term',
  month: 'Month in advance',
  usage: 'Usage',
  return: 'Return',
  credit: 'Credit',
  promotion: 'Free credit',
  debit: 'Correction',
  hold: 'Set aside',
  payout: 'Payout',
}

export const aboutWords: Record<(typeof billedKinds)[number], string> = {
  instance: 'Instances',
  volume: 'Network volumes',
  snapshot: 'Snapshots',
}

export interface BillingFilter {
  readonly search: string
  readonly status: BillingEntry['status'] | undefined
  readonly kind: BillingEntry['kind'] | undefined
  readonly about: (typeof billedKinds)[number] | undefined
  readonly instance: string | undefined
  /** Days of UTC. */
  readonly from: string | undefined
  readonly to: string | undefined
}

export const readBillingSearch = (search: SearchText): BillingFilter => ({
  search: readSearchText(search),
  status: readOne(billingStatuses, search['status']),
  kind: readOne(billingLineKinds, search['kind']),
  about: readOne(billedKinds, search['about']),
  instance: readId(search['instance']),
  from: readDay(search['from']),
  to: readDay(search['to']),
})

export const noFilter: SearchText = {
  search: '',
  status: '',
  kind: '',
  about: '',
  instance: '',
  from: '',
  to: '',
}

/** As the service takes it. */
const readDay = (text: string | undefined): string | undefined => {
  if (!text || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined
}
