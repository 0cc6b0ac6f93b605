/** What the address of the overview holds: the open tab, how its rows are narrowed down and sorted, and the dialog over it. */
import { balanceFilters, userSorts } from '@ingot/contracts/admin/users'
import { instanceSorts } from '@ingot/contracts/admin/instances'
import { volumeSorts } from '@ingot/contracts/admin/volumes'
import { userRoles } from '@ingot/contracts/accounts'
import { billingLineKinds, billingStatuses } from '@ingot/contracts/billing'
import { instanceStatuses } from '@ingot/contracts/instances'
import { paymentStatuses } from '@ingot/contracts/payments'
import { volumeStatuses } from '@ingot/contracts/volumes'
import type { Sort } from '../../../ui/TableHead.tsx'
import { readId, readOne, readSearchText } from '../../list/read-search.ts'
import type { SearchText } from '../../list/search-state.ts'

export const adminTabs = [
  'users',
  'instances',
  'volumes',
  'billing',
  'payments',
  'support',
  'ai-settings',
] as const
export type AdminTab = (typeof adminTabs)[number]

export const readTab = (search: SearchText): AdminTab => readOne(adminTabs, search['tab']) ?? 'users'

/** The search goes along from tab to tab; what else narrows one down means nothing in another. */
const ofOneTab = [
  'sort',
  'order',
  'role',
  'balance',
  'access',
  'status',
  'priority',
  'region',
  'host',
  'kind',
  'from',
  'to',
  'held',
  'of',
  'ticket',
]
/** What narrows the open tab down, taken away. */
export const noSearch: SearchText = {
  ...Object.fromEntries(
    ofOneTab.filter(name => name !== 'sort' && name !== 'order').map(name => [name, undefined]),
  ),
  search: undefined,
}
export const toTab = (tab: AdminTab): SearchText => ({
  ...Object.fromEntries(ofOneTab.map(name => [name, undefined])),
  tab,
})

/** The dialogs over the page, by what they show. One at a time: opening one closes the other, and Back returns to it. */
export type AdminDialog = 'user' | 'instance' | 'volume' | 'ticket'
export const opening = (dialog: AdminDialog, id: string): SearchText => ({ ...closing, [dialog]: id })
export const closing: SearchText = {
  user: undefined,
  instance: undefined,
  volume: undefined,
  ticket: undefined,
}

interface Sorting<Name extends string> {
  readonly sort: Name
  readonly order: 'asc' | 'desc'
}

function readSort<Name extends string>(
  search: SearchText,
  known: readonly Name[],
  usual: Name,
): Sorting<Name> {
  return {
    sort: readOne(known, search['sort']) ?? usual,
    order: readOne(['asc', 'desc'] as const, search['order']) ?? 'desc',
  }
}

export const sortOf = ({ sort, order }: Sorting<string>): Sort => ({
  column: sort,
  direction: order === 'asc' ? 'ascending' : 'descending',
})
export const sortInAddress = ({ column, direction }: Sort): SearchText => ({
  sort: column,
  order: direction === 'ascending' ? 'asc' : 'desc',
})

const text = (search: SearchText) => readSearchText(search).trim() || undefined
const readName = (value: string | undefined) => value?.slice(0, 200) || undefined

/** Whom an administrator keeps out, and the others. */
export const accesses = ['suspended', 'active'] as const
export const readAccess = (search: SearchText) => readOne(accesses, search['access'])
const isSuspended = { suspended: true, active: false } as const

export function readUsers(search: SearchText) {
  const access = readAccess(search)
  return {
    search: text(search),
    role: readOne(userRoles, search['role']),
    balance: readOne(balanceFilters, search['balance']),
    suspended: access && isSuspended[access],
    ...readSort(search, userSorts, 'spent'),
  }
}
export type UserFilter = ReturnType<typeof readUsers>

export const readInstances = (search: SearchText) => ({
  search: text(search),
  status: readOne(instanceStatuses, search['status']),
  region: readName(search['region']),
  host: readName(search['host']),
  user_id: readId(search['of']),
  ...readSort(search, instanceSorts, 'created'),
})
export type InstanceFilter = ReturnType<typeof readInstances>

export const readVolumes = (search: SearchText) => ({
  search: text(search),
  status: readOne(volumeStatuses, search['status']),
  region: readName(search['region']),
  user_id: readId(search['of']),
  ...readSort(search, volumeSorts, 'created'),
})
export type VolumeFilter = ReturnType<typeof readVolumes>

export const readBilling = (search: SearchText) => ({
  search: text(search),
  status: readOne(billingStatuses, search['status']),
  kind: readOne(billingLineKinds, search['kind']),
  user_id: readId(search['of']),
  from: readDay(search['from']),
  to: readDay(search['to']),
})
export type BillingFilter = ReturnType<typeof readBilling>

export const readPayments = (search: SearchText) => ({
  search: text(search),
  status: readOne(paymentStatuses, search['status']),
  can_decide: search['held'] === '1' || undefined,
  user_id: readId(search['of']),
})
export type PaymentFilter = ReturnType<typeof readPayments>

/** As the service takes it. */
const readDay = (day: string | undefined): string | undefined => {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const at = new Date(day)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : undefined
}
