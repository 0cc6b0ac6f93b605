import type { AdminCounts } from '@ingot/contracts/admin/overview'
import { type Payment, paymentStatuses } from '@ingot/contracts/payments'
import { Ellipsis } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { shortId } from '../../support/ticket-text.ts'
import { confirmationsText, paymentTones, reasonText } from '../acts/payment-text.ts'
import { useDecidePayment, type Verdict } from '../acts/use-decide-payment.tsx'
import { usePayments } from '../all-queries.ts'
import { shownText } from './count-text.ts'
import { OfUser } from './OfUser.tsx'
import { noSearch, opening, readPayments } from './tab-search.ts'
import { useCopyId } from './use-copy-id.ts'
import { UserLink } from './UserLink.tsx'

const held = 'held'
const statusOptions = [
  ...paymentStatuses.map(value => ({ value, label: value })),
  { value: held, label: 'held for a decision' },
] as const

export function PaymentsTab({ hits }: { readonly hits: AdminCounts['payments'] | undefined }) {
  const [address, change] = useSearchState()
  const filter = readPayments(address)
  const { search, status, user_id } = filter
  const { list, rows } = usePayments(filter)
  const { ask, dialog } = useDecidePayment()
  const isFiltered = Boolean(status ?? user_id ?? filter.can_decide)
  return (
    <section aria-label="Payments" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox
              label="Search by hash, email or id"
              value={address['search'] ?? ''}
              onChange={text => change({ search: text })}
              clearable
            />
            <FilterSelect<(typeof statusOptions)[number]['value']>
              label="Status"
              any="any"
              options={statusOptions}
              value={filter.can_decide ? held : status}
              onChange={value =>
                change(value === held ? { status: '', held: '1' } : { status: value, held: '' })
              }
            />
            <OfUser id={user_id} onChange={change} />
          </>
        }
        count={list.data ? shownText(rows.length, list, { hits, isFiltered, by: 'newest first' }) : ''}
        action={
          <ExportButton fetch={() => api.payments.export(filter)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="Failed to load dashboard data"
        consequence="Transfers are seen and credited all the same."
        skeleton={<SkeletonRows rows={8} columns={6} />}
        isEmpty={rows.length === 0}
        isFiltered={isFiltered || search !== undefined}
        noMatch={
          <NoMatch
            title={search ? `No payment matches “${search}”.` : 'No payment matches.'}
            onClear={() => change(noSearch)}
          />
        }
        empty={<EmptyState title="Every transfer to a deposit address stands here." />}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Payments"
          columns={columnsWith(ask)}
          rows={rows}
          rowKey={({ id }) => id}
          onOpen={({ user_id: id }) => change(opening('user', id), { step: true })}
          renderMenu={payment => <PaymentMenu payment={payment} onDecide={ask} />}
          refreshing={list.isPlaceholderData}
        />
      </ListFrame>
      {dialog}
    </section>
  )
}

interface DecideProps {
  readonly payment: Payment
  readonly onDecide: (verdict: Verdict, payment: Payment) => void
}

/** Where there is something to decide; nothing in all other rows. */
function Decide({ payment, onDecide }: DecideProps) {
  const offline = useOfflineReason()
  if (!payment.can_decide) return null
  const what = `${payment.amount_usdt} USDT of ${payment.user_email ?? 'a deleted account'}`
  return (
    <span className="inline-flex gap-1">
      <Button
        aria-label={`Reject ${what}`}
        disabledReason={offline}
        onClick={() => onDecide('reject', payment)}
      >
        Reject
      </Button>
      <Button
        aria-label={`Approve ${what}`}
        disabledReason={offline}
        onClick={() => onDecide('approve', payment)}
      >
        Approve
      </Button>
    </span>
  )
}

const columnsWith = (onDecide: DecideProps['onDecide']): readonly Column<Payment>[] => [
  {
    id: 'id',
    header: 'Payment',
    phone: 'lead',
    className: 'sm:w-px',
    cell: ({ id }) => (
      <span className="font-mono text-code" title={id}>
        {shortId(id)}
      </span>
    ),
  },
  {
    id: 'user',
    header: 'User',
    className: 'min-w-0 sm:max-w-menu truncate',
    cell: ({ user_id, user_email }) => <UserLink id={user_id} email={user_email} />,
  },
  {
    id: 'amount',
    header: 'USDT',
    numeric: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ amount_usdt }) => (
      <>
        {amount_usdt}
        <span className="sm:hidden"> USDT</span>
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    className: 'sm:w-px',
    cell: ({ status, reason, note }) => (
      <span className="flex flex-wrap items-center gap-x-2 sm:flex-nowrap sm:whitespace-nowrap">
        <Badge tone={paymentTones[status]}>{status}</Badge>
        {reason && <span className="text-muted">{reasonText(reason)}</span>}
        {note && (
          <span className="max-w-menu truncate text-muted" title={note}>
            “{note}”
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'confirmations',
    header: 'Confirmations',
    numeric: true,
    className: 'max-lg:hidden sm:w-px',
    phone: 'hidden',
    cell: payment => (
      <>
        {confirmationsText(payment)} <span className="text-muted">{payment.confirmations_seen} seen</span>
      </>
    ),
  },
  {
    id: 'time',
    header: 'Time',
    numeric: true,
    className: 'sm:w-px text-muted',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'decide',
    header: 'Decision',
    headerHidden: true,
    numeric: true,
    className: 'sm:w-px max-sm:w-full',
    cell: payment => <Decide payment={payment} onDecide={onDecide} />,
  },
]

function PaymentMenu({ payment, onDecide }: DecideProps) {
  const [, change] = useSearchState()
  const copyId = useCopyId()
  const { id, user_id, tx_hash, can_decide } = payment
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for payment ${shortId(id)}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => change(opening('user', user_id), { step: true })}>User Details</MenuItem>
      <MenuItem onSelect={() => copyId(id)}>Copy id</MenuItem>
      <MenuItem onSelect={() => copyId(tx_hash)}>Copy transaction hash</MenuItem>
      {can_decide && (
        <>
          <MenuItem onSelect={() => onDecide('approve', payment)}>Approve Payment</MenuItem>
          <MenuItem danger onSelect={() => onDecide('reject', payment)}>
            Reject Payment
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
