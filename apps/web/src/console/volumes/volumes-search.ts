/** What the address holds: filter, the opened row, and which dialog is open. */
import { type VolumeStatus } from '@ingot/contracts/volumes'
import { readId, readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export const listedStatuses = ['available', 'in-use', 'creating'] as const satisfies readonly VolumeStatus[]
type ListedStatus = (typeof listedStatuses)[number]

export const volumeDialogs = [
  'details',
  'attach',
  'rename',
  'grow',
  'snapshot',
  'restore',
  'delete',
  'delete-snapshot',
] as const
export type VolumeDialog = (typeof volumeDialogs)[number]

export interface OpenDialog {
  readonly dialog: VolumeDialog
  /** Of the volume, or of the snapshot that `restore` and `delete-snapshot` are about. */
  readonly id: string
}

export interface VolumesSearch {
  readonly search: string
  readonly status: ListedStatus | undefined
  /** The row that shows its snapshots. */
  readonly row: string | undefined
  readonly open: OpenDialog | null
  /** `create=1`. */
  readonly create: boolean
}

export function readVolumesSearch(search: SearchText): VolumesSearch {
  const dialog = readOne(volumeDialogs, search['dialog'])
  const id = readId(search['of'])
  return {
    search: readSearchText(search),
    status: readOne(listedStatuses, search['status']),
    row: readId(search['row']),
    open: dialog && id ? { dialog, id } : null,
    create: search['create'] === '1',
  }
}

export const openVolumeDialog = (dialog: VolumeDialog, id: string): SearchText => ({ dialog, of: id })
export const openCreate: SearchText = { create: '1' }
export const closeVolumeDialogs: SearchText = { dialog: undefined, of: undefined, create: undefined }

/** `2 creating · Network Volumes`. */
export function volumesTitle(statuses: readonly VolumeStatus[]): string {
  const changing = (['creating', 'deleting'] as const)
    .map(status => ({ status, count: statuses.filter(each => each === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`)
  return [changing.join(', '), 'Network Volumes'].filter(Boolean).join(' · ')
}

/** In the place of the rows when a filter leaves none. */
export const noMatchText = ({ search, status }: Pick<VolumesSearch, 'search' | 'status'>): string =>
  `No${status ? ` ${status}` : ''} volumes${search ? ` match '${search}'` : ''}.`
