/** What the list's address holds: filter, page, and which dialog is open over it. Anything unknown counts as absent. */
import { listedStatuses } from '@ingot/contracts/instances'
import type { SearchText } from '../list/search-state.ts'

export type StatusFilter = (typeof listedStatuses)[number]

export const instanceDialogs = ['details', 'edit', 'clone', 'delete'] as const
export type InstanceDialog = (typeof instanceDialogs)[number]

export interface InstancesSearch {
  readonly search: string
  readonly status: StatusFilter | undefined
  readonly cursor: string | undefined
  /** The instance whose dialog is open. */
  readonly open: { readonly dialog: InstanceDialog; readonly id: string } | null
  /** `deploy=1`: the template picker is open. */
  readonly deploy: boolean
}

const maxSearch = 100
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const one = <T extends string>(known: readonly T[], value: string | undefined): T | undefined =>
  known.find(each => each === value)

export function readInstancesSearch(search: SearchText): InstancesSearch {
  const dialog = one(instanceDialogs, search['dialog'])
  const id = search['instance']
  const cursor = search['cursor']
  return {
    search: (search['search'] ?? '').slice(0, maxSearch),
    status: one(listedStatuses, search['status']),
    cursor: cursor && uuid.test(cursor) ? cursor : undefined,
    open: dialog && id && uuid.test(id) ? { dialog, id } : null,
    deploy: search['deploy'] === '1',
  }
}

/** The changes that open a dialog, and those that close every one of them. */
export const openDialog = (dialog: InstanceDialog, id: string): SearchText => ({ dialog, instance: id })
export const closeDialogs: SearchText = { dialog: undefined, instance: undefined, deploy: undefined }

/** `2 starting · Instances`: what is changing, most telling first. */
export function listTitle(statuses: readonly string[]): string {
  const changing = (['starting', 'stopping'] as const)
    .map(status => ({ status, count: statuses.filter(each => each === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`)
  return [changing.join(', '), 'Instances'].filter(Boolean).join(' · ')
}
