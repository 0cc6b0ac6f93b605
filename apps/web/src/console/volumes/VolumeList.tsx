import type { Output } from '@ingot/contracts/operation'
import { volumePerGbMonth } from '@ingot/contracts/volume/prices'
import type { Volume, volumes } from '@ingot/contracts/volumes'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount, formatMoney } from '../../ui/format.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { LoadMore } from '../list/LoadMore.tsx'
import { NoMatch } from '../list/NoMatch.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { curlOf } from '../shell/CopyCall.tsx'
import type { useVolumes } from './queries.ts'
import { VolumeSnapshots } from './snapshots/VolumeSnapshots.tsx'
import { VolumeNotices } from './VolumeNotices.tsx'
import { VolumeTable, whereWide } from './VolumeTable.tsx'
import { formatSize, formatStored } from './volume-text.ts'
import { listedStatuses, noMatchText, type VolumeDialog, type VolumesSearch } from './volumes-search.ts'

type Summary = Output<typeof volumes.summary>

interface VolumeListProps {
  readonly list: ReturnType<typeof useVolumes>['list']
  readonly rows: readonly Volume[]
  readonly filter: VolumesSearch
  readonly summary: Summary | undefined
  readonly refreshing: boolean
  readonly onCreate: () => void
  readonly onChange: ChangeSearch
  readonly onRow: (id: string) => void
  readonly onOpen: (dialog: VolumeDialog, id: string) => void
}

const statusOptions = listedStatuses.map(value => ({ value, label: value }))

/** The filters, and the rows or in their place why there are none. */
export function VolumeList(props: VolumeListProps) {
  const { list, rows, filter, summary, refreshing, onCreate, onChange, onRow, onOpen } = props
  return (
    <ListFrame
      filters={
        <>
          <SearchBox
            label="Search by name"
            value={filter.search}
            onChange={search => onChange({ search })}
            className="sm:max-w-aside"
            clearable
          />
          <FilterSelect
            label="Status"
            any="all"
            options={statusOptions}
            value={filter.status}
            onChange={status => onChange({ status })}
          />
        </>
      }
      count={summary && rows.length > 0 ? totals(summary) : ''}
      quietCount
      query={list}
      failed="The volumes could not be loaded"
      consequence="Your volumes stay as they are; only this list is missing."
      skeleton={<SkeletonRows rows={5} columns={6} />}
      isEmpty={rows.length === 0}
      isFiltered={Boolean(filter.search || filter.status)}
      noMatch={<NoMatch title={noMatchText(filter)} onClear={() => onChange({ search: '', status: '' })} />}
      empty={<NoVolumes onCreate={onCreate} />}
      more={<LoadMore list={list} />}
    >
      <VolumeTable
        volumes={rows}
        refreshing={refreshing}
        row={filter.row}
        onRow={onRow}
        onOpen={onOpen}
        renderUnder={volume => (
          <div className="flex flex-col gap-3 px-3 py-2 sm:pl-row">
            <VolumeNotices volume={volume} />
            <VolumeSnapshots volume={volume} onOpen={onOpen} />
          </div>
        )}
      />
      <p className="text-label font-normal text-muted">
        <span className={whereWide}>Bars are drawn to one scale: as long as the volume is large. </span>A
        volume outlives its instances; attach it in the same region.
      </p>
    </ListFrame>
  )
}

function totals({ total, size_gb, used_bytes, monthly_cost, snapshots, ...and }: Summary): string {
  const volumesText = `${formatCount(total)} ${total === 1 ? 'volume' : 'volumes'}, ${formatStored(used_bytes)} of ${formatSize(size_gb)} used, ${formatMoney(monthly_cost)} per month`
  if (snapshots === 0) return volumesText
  return `${volumesText}; ${formatCount(snapshots)} ${snapshots === 1 ? 'snapshot' : 'snapshots'}, ${formatMoney(and.snapshots_monthly_cost)}`
}

function NoVolumes({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      title="A network volume keeps data apart from any instance, so it outlives them and moves between them."
      action={
        <Button variant="primary" onClick={onCreate}>
          Create your first volume
        </Button>
      }
      command={
        <CommandBlock
          label="The same as a command"
          commands={[
            {
              tool: 'HTTP',
              text: curlOf('volumes.create', { name: 'data', size_gb: 50, region: 'US-East' }),
            },
          ]}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      }
    >
      You have none yet. It costs {formatMoney(volumePerGbMonth)} per GB and month, paid a month in advance;
      what is not used returns when you delete it.
    </EmptyState>
  )
}
