import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback } from 'react'
import { Button } from '../../ui/Button.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { usePending } from '../../ui/use-pending.ts'
import { useSearchState } from '../list/search-state.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { useTitle } from '../shell/title.ts'
import { useVolumes, volumesSummaryQuery } from './queries.ts'
import { LeftSnapshots } from './snapshots/LeftSnapshots.tsx'
import { VolumeDialogs } from './VolumeDialogs.tsx'
import { VolumeList } from './VolumeList.tsx'
import {
  closeVolumeDialogs,
  openCreate,
  openVolumeDialog,
  readVolumesSearch,
  type VolumeDialog,
  volumesTitle,
} from './volumes-search.ts'

const CreateVolumeDialog = lazy(() =>
  import('./create/CreateVolumeDialog.tsx').then(module => ({ default: module.CreateVolumeDialog })),
)

export function VolumesScreen() {
  const [address, change] = useSearchState()
  const state = readVolumesSearch(address)
  const filter = { search: state.search || undefined, status: state.status }
  const { list, rows } = useVolumes(filter)
  const summary = useQuery(volumesSummaryQuery)
  const refreshing = usePending(list.isFetching && !list.isPending && !list.isFetchingNextPage).skeleton
  /** Then the one primary button stands in the empty list's place. */
  const isNew = list.data !== undefined && rows.length === 0 && !filter.search && !filter.status
  useTitle(volumesTitle(rows.map(({ status }) => status)))
  const create = () => change(openCreate, { step: true })
  const close = () => change(closeVolumeDialogs)
  useShortcut('c', create)
  const { row } = state
  const onRow = useCallback((id: string) => change({ row: id === row ? '' : id }), [change, row])
  const onOpen = useCallback(
    (dialog: VolumeDialog, id: string) => change(openVolumeDialog(dialog, id), { step: true }),
    [change],
  )
  return (
    <div className="flex flex-col gap-4">
      <PageHeading
        actions={
          <>
            <CopyCall call="volumes.list" values={filter} />
            <Button variant={isNew ? 'secondary' : 'primary'} shortcut="C" onClick={create}>
              Create Network Volume
            </Button>
          </>
        }
      >
        Network Volumes
      </PageHeading>
      <VolumeList
        list={list}
        rows={rows}
        filter={state}
        summary={summary.data}
        refreshing={refreshing}
        onCreate={create}
        onChange={change}
        onRow={onRow}
        onOpen={onOpen}
      />
      <LeftSnapshots onOpen={onOpen} />
      <VolumeDialogs open={state.open} onClose={close} />
      {state.create && (
        <Suspense>
          <CreateVolumeDialog onClose={close} />
        </Suspense>
      )}
    </div>
  )
}
