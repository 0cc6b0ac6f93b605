import { type Inquiry, inquiryStatuses } from '@ingot/contracts/site'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { type SearchText, useSearchState } from '../list/search-state.ts'
import { AdminOnly } from './AdminOnly.tsx'
import { useInquiries } from './inquiries-query.ts'
import { aboutText, readStatus, statusTones, statusWords } from './inquiry-words.ts'
import { InquiryDialog } from './InquiryDialog.tsx'

export function InquiriesScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What visitors sent by the contact form, as applications and as document requests, newest first.">
          Inquiries
        </PageHeading>
        <Inquiries />
      </div>
    </AdminOnly>
  )
}

const any = 'any'
const statusOptions = [
  { value: any, label: 'Any' },
  ...inquiryStatuses.map(value => ({ value, label: statusWords[value] })),
]

/** The one in the dialog is named by the address, so that Back closes it and a link to it can be kept. */
function Inquiries() {
  const [address, change] = useSearchState()
  const status = readStatus(address)
  const list = useInquiries(status)
  const shown = list.data?.pages.flatMap(page => page.items) ?? []
  const open = shown.find(each => each.id === address['inquiry'])
  return (
    <section aria-label="Inquiries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Select
          aria-label="Status"
          prefix="Status"
          options={statusOptions}
          value={status ?? any}
          onValueChange={value => change({ status: value === any ? '' : value })}
        />
        <p aria-live="polite" className="text-label text-muted tabular-nums">
          {list.data && `${shown.length}${list.hasNextPage ? '+' : ''} shown`}
        </p>
      </div>
      <QueryView
        query={list}
        failed="The inquiries could not be loaded"
        consequence="What visitors send is stored all the same."
        skeleton={<SkeletonRows rows={6} columns={4} />}
      >
        {() =>
          shown.length > 0 ? (
            <Table
              label="Inquiries"
              columns={columns}
              rows={shown}
              rowKey={each => each.id}
              onOpen={({ id }) => change({ inquiry: id }, { step: true })}
            />
          ) : status ? (
            <EmptyState
              title={`No inquiry is ${statusWords[status].toLowerCase()}.`}
              action={<Button onClick={() => change({ status: '' })}>Show all</Button>}
            />
          ) : (
            <EmptyState title="What visitors of the public site write to you is read and answered here.">
              Nobody has written yet.
            </EmptyState>
          )
        }
      </QueryView>
      {list.hasNextPage && (
        <div>
          <Button
            onClick={() => void list.fetchNextPage()}
            busy={list.isFetchingNextPage}
            busyLabel="Loading..."
          >
            Load more
          </Button>
        </div>
      )}
      {open && <InquiryDialog key={open.id} inquiry={open} onClose={() => change({ inquiry: '' })} />}
    </section>
  )
}

const columns: readonly Column<Inquiry>[] = [
  {
    id: 'from',
    header: 'From',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:w-1/2 sm:max-w-0 xl:w-1/4',
    cell: ({ id, name }) => (
      <Link
        to="."
        search={(before: SearchText) => ({ ...before, inquiry: id })}
        resetScroll={false}
        className="font-semi hover:underline"
        title={name}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'about',
    header: 'About',
    className: 'sm:w-1/2 sm:max-w-0 xl:w-1/4 sm:truncate',
    cell: inquiry => <span title={aboutText(inquiry)}>{aboutText(inquiry)}</span>,
  },
  {
    id: 'message',
    header: 'Message',
    phone: 'hidden',
    className: 'w-1/2 max-w-0 truncate max-xl:hidden',
    cell: ({ message, company }) => (
      <span className="text-muted">{message || (company ? `For ${company}` : 'None')}</span>
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
    header: 'Sent',
    className: 'sm:w-px',
    cell: ({ created_at }) => (
      <span className="text-muted">
        <Time at={created_at} />
      </span>
    ),
  },
]
