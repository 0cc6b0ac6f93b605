import { type Inquiry, type InquiryKind, inquiryKinds, inquiryStatuses } from '@ingot/contracts/site'
import { Badge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { ExportButton } from '../list/ExportButton.tsx'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { LoadMore } from '../list/LoadMore.tsx'
import { NoMatch } from '../list/NoMatch.tsx'
import { RowLink } from '../list/RowLink.tsx'
import { useSearchState } from '../list/search-state.ts'
import { orMore } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AdminOnly } from './AdminOnly.tsx'
import { useInquiries } from './queries.ts'
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

const kindWords: Record<InquiryKind, string> = {
  contact: 'Contact',
  application: 'Application',
  document: 'Document request',
}
const kindOptions = inquiryKinds.map(value => ({ value, label: kindWords[value] }))
const statusOptions = inquiryStatuses.map(value => ({ value, label: statusWords[value] }))

/** The one in the dialog is named by the address, so that Back closes it and a link to it can be kept. */
function Inquiries() {
  const [address, change] = useSearchState()
  const status = readStatus(address)
  const kind = inquiryKinds.find(each => each === address['kind'])
  const { list, rows } = useInquiries({ status, kind })
  const open = rows.find(each => each.id === address['inquiry'])
  return (
    <section aria-label="Inquiries" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <FilterSelect
              label="Status"
              any="Any"
              options={statusOptions}
              value={status}
              onChange={value => change({ status: value })}
            />
            <FilterSelect
              label="Kind"
              any="Any"
              options={kindOptions}
              value={kind}
              onChange={value => change({ kind: value })}
            />
          </>
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        action={
          <ExportButton fetch={() => api.site.exportInquiries({ status, kind })} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="The inquiries could not be loaded"
        consequence="What visitors send is stored all the same."
        skeleton={<SkeletonRows rows={6} columns={4} />}
        isEmpty={rows.length === 0}
        isFiltered={status !== undefined || kind !== undefined}
        noMatch={
          <NoMatch
            title={
              status && !kind ? `No inquiry is ${statusWords[status].toLowerCase()}.` : 'No inquiry fits.'
            }
            onClear={() => change({ status: '', kind: '' })}
            clearLabel="Show all"
          />
        }
        empty={
          <EmptyState title="What visitors of the public site write to you is read and answered here.">
            Nobody has written yet.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label="Inquiries"
          columns={columns}
          rows={rows}
          rowKey={each => each.id}
          onOpen={({ id }) => change({ inquiry: id }, { step: true })}
        />
      </ListFrame>
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
    cell: ({ id, name }) => <RowLink name={name} opens={{ inquiry: id }} />,
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
