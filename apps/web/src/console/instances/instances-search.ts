/** What the list's address holds: filter, page, and which dialog is open over it. */
import { type ListedStatus, listedStatuses } from '@ingot/contracts/instances'
import { readId, readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export const instanceDialogs = ['details', 'edit', 'ssh', 'clone', 'delete'] as const
export type InstanceDialog = (typeof instanceDialogs)[number]

export interface InstancesSearch {
  readonly search: string
  readonly status: ListedStatus | undefined
  readonly cursor: string | undefined
  /** The instance whose dialog is open. */
  readonly open: { readonly dialog: InstanceDialog; readonly id: string } | null
  /** `deploy=1`: the template picker is open. */
  readonly deploy: boolean
}

export function readInstancesSearch(search: SearchText): InstancesSearch {
  const dialog = readOne(instanceDialogs, search['dialog'])
  const id = readId(search['instance'])
  return {
    search: readSearchText(search),
    status: readOne(listedStatuses, search['status']),
    cursor: readId(search['cursor']),
    open: dialog && id ? { dialog, id } : null,
    deploy: search['deploy'] === '1',
  }
}

/** The changes that open a dialog, that open the template picker, and that close every one of them. */
export const openDialog = (dialog: InstanceDialog, id: string): SearchText => ({ dialog, instance: id })
export const openPicker: SearchText = { deploy: '1' }
export const closeDialogs: SearchText = { dialog: undefined, instance: undefined, deploy: undefined }

/** `2 starting · Instances`: what is changing, most telling first. */
export function listTitle(statuses: readonly string[]): string {
  const changing = (['starting', 'stopping'] as const)
    .map(status => ({ status, count: statuses.filter(each => each === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`)
  return [changing.join(', '), 'Instances'].filter(Boolean).join(' · ')
}
