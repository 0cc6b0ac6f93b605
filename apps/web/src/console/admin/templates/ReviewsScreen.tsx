import type { ReviewEntry } from '@ingot/contracts/admin/template-reviews'
import { reviewStatuses, type ReviewStatus } from '@ingot/contracts/templates'
import { Badge } from '../../../ui/Badge.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { useReviews } from './queries.ts'
import { statusTones, statusWords } from './review-text.ts'
import { ReviewDialog } from './ReviewDialog.tsx'

const any = 'any'
const options = reviewStatuses.map(value => ({ value, label: statusWords[value] }))
/** Those that wait are shown unless the address says otherwise. */
const readStatus = (text: string | undefined): ReviewStatus | undefined =>
  text === any ? undefined : (reviewStatuses.find(each => each === text) ?? 'pending')

/** Templates of customers, each as it was proposed. */
export function ReviewsScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What customers propose for everybody. What is approved is frozen as it was proposed; a later change is another proposal.">
          Templates to review
        </PageHeading>
        <Reviews />
      </div>
    </AdminOnly>
  )
}

/** The one in the dialog is named by the address, so that Back closes it. */
function Reviews() {
  const [address, change] = useSearchState()
  const status = readStatus(address['status'])
  const { list, rows } = useReviews(status)
  const open = rows.find(each => each.id === address['review'])
  return (
    <section aria-label="Proposals" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <FilterSelect
            label="Status"
            any="Any"
            options={options}
            value={status}
            onChange={value => change({ status: value === '' ? any : value === 'pending' ? '' : value })}
          />
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        query={list}
        failed="The proposals could not be loaded"
        consequence="What was approved stays public."
        skeleton={<SkeletonRows rows={4} columns={5} />}
        isEmpty={rows.length === 0}
        isFiltered={status !== undefined && status !== 'pending'}
        noMatch={
          <NoMatch
            title="No proposal matches."
            onClear={() => change({ status: any })}
            clearLabel="Show all"
          />
        }
        empty={
          <EmptyState title="Templates that customers propose for everybody are looked at here.">
            None waits.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label="Proposals"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          onOpen={({ id }) => change({ review: id }, { step: true })}
        />
      </ListFrame>
      {open && <ReviewDialog key={open.id} review={open} onClose={() => change({ review: '' })} />}
    </section>
  )
}

const columns: readonly Column<ReviewEntry>[] = [
  {
    id: 'name',
    header: 'Template',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ id, proposed }) => <RowLink name={proposed.name} opens={{ review: id }} />,
  },
  {
    id: 'author',
    header: 'Author',
    className: 'min-w-0 sm:max-w-0 sm:w-1/4 truncate',
    cell: ({ email, user_id }) => <span title={user_id}>{email ?? 'No address'}</span>,
  },
  {
    id: 'image',
    header: 'Image',
    phone: 'hidden',
    className: 'max-lg:hidden sm:max-w-0 sm:w-1/4 truncate',
    cell: ({ proposed }) => <span title={proposed.docker_image}>{proposed.docker_image}</span>,
  },
  {
    id: 'version',
    header: 'Version',
    className: 'sm:w-px whitespace-nowrap',
    cell: ({ version, published_version }) =>
      published_version !== null && published_version !== version ? (
        <>
          {version} <span className="text-muted">({published_version} is public)</span>
        </>
      ) : (
        String(version)
      ),
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>,
  },
  {
    id: 'time',
    header: 'Proposed',
    className: 'sm:w-px',
    cell: ({ proposed_at }) => (
      <span className="text-muted">
        <Time at={proposed_at} />
      </span>
    ),
  },
]
