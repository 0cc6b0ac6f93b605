import type { UsageLog } from '@ingot/contracts/activity'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { actionLabel, actorWords } from '../../activity/log-words.ts'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { useAnyUsageLog } from '../all-queries.ts'

/** What happened to an instance, the newest first. */
export function UsageLogs({ id }: { readonly id: string }) {
  const { list, rows } = useAnyUsageLog(id)
  return (
    <section aria-labelledby="usage-log" className="flex flex-col gap-2">
      <h3 id="usage-log" className="text-heading">
        Usage log
      </h3>
      <ListFrame
        query={list}
        failed="Failed to load dashboard data"
        consequence="The instance itself is not affected."
        skeleton={<SkeletonRows rows={3} columns={3} />}
        isEmpty={rows.length === 0}
        empty={<p className="text-muted">Nothing has happened to it yet.</p>}
        more={<LoadMore list={list} />}
      >
        <Table label="Usage log" columns={columns} rows={rows} rowKey={each => each.id} compact />
      </ListFrame>
    </section>
  )
}

const columns: readonly Column<UsageLog>[] = [
  {
    id: 'action',
    header: 'Event',
    phone: 'lead',
    cell: ({ action, actor, message }) => (
      <>
        {actionLabel(action)}
        {actor && actorWords[actor] && <span className="text-muted"> {actorWords[actor]}</span>}
        {message && <span className="block text-label font-normal text-muted">{message}</span>}
      </>
    ),
  },
  {
    id: 'minutes',
    header: 'Minutes',
    numeric: true,
    className: 'sm:w-px',
    cell: ({ duration_minutes, seconds }) =>
      seconds === null ? (
        '–'
      ) : (
        <>
          {duration_minutes}
          <span className="sm:hidden"> min</span>
        </>
      ),
  },
  {
    id: 'cost',
    header: 'Cost',
    numeric: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ cost, seconds }) => (seconds === null ? '–' : <Money value={cost} />),
  },
  {
    id: 'time',
    header: 'Time',
    numeric: true,
    className: 'sm:w-px text-muted',
    cell: ({ timestamp }) => <Time at={timestamp} exact />,
  },
]
