import type { Payment } from '@ingot/contracts/payments'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { UserLink } from '../tabs/UserLink.tsx'
import { ChainProof } from './ChainProof.tsx'
import { paymentsKey, useHeldDeposits } from './queries.ts'

const shown = ['pending', 'failed'] as const
const reasons: Record<NonNullable<Payment['reason']>, string> = {
  review: 'Above the limit: waits for a decision',
  below_minimum: 'Below the minimum: credited with the next',
  account_deleted: 'The account is deleted: to be sent back',
  arriving: 'Not final yet',
  rejected: 'Rejected',
  dropped: 'Dropped by the network',
}

interface Decision {
  readonly payment: Payment
  readonly verb: 'approve' | 'reject'
}

/** Transfers that were seen and not credited, and the decision about those that wait for one. */
export function HeldDeposits() {
  const [address, change] = useSearchState()
  const which = readOne(shown, address['deposits']) ?? 'decide'
  const { list, rows } = useHeldDeposits(which)
  const [decision, decide] = useState<Decision | null>(null)
  return (
    <section aria-labelledby="held-deposits" className="flex flex-col gap-3">
      <h2 id="held-deposits" className="text-heading">
        Held deposits
      </h2>
      <ListFrame
        filters={
          <FilterSelect
            label="Show"
            any="To decide"
            options={[
              { value: 'pending' as const, label: 'All that are not credited' },
              { value: 'failed' as const, label: 'Failed and rejected' },
            ]}
            value={which === 'decide' ? undefined : which}
            onChange={value => change({ deposits: value })}
          />
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        query={list}
        failed="The held deposits could not be loaded"
        consequence="None of them is credited meanwhile, and none is lost."
        skeleton={<SkeletonRows rows={3} columns={5} />}
        isEmpty={rows.length === 0}
        isFiltered={which !== 'decide'}
        noMatch={
          <NoMatch
            title="There is none of these."
            onClear={() => change({ deposits: '' })}
            clearLabel="To decide"
          />
        }
        empty={
          <EmptyState title="No deposit waits for a decision.">
            Single transfers above INGOT_DEPOSIT_REVIEW_USDT stand here until somebody approves or rejects
            them.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label="Held deposits"
          columns={columnsOf((payment, verb) => decide({ payment, verb }))}
          rows={rows}
          rowKey={({ id }) => id}
        />
      </ListFrame>
      {decision && <DecisionDialog {...decision} onClose={() => decide(null)} />}
    </section>
  )
}

function DecisionDialog({ payment, verb, onClose }: Decision & { readonly onClose: () => void }) {
  const client = useQueryClient()
  const isApproval = verb === 'approve'
  const act = useMutation({
    mutationFn: (reason: string) =>
      isApproval
        ? api.payments.approve({ id: payment.id, reason: reason || undefined })
        : api.payments.reject({ id: payment.id, reason }),
    onSuccess: () => {
      if (isApproval)
        toast.success(`Payment approved! ${formatMoney(payment.amount_usd)} credited to user's wallet`)
      else toast.success('Payment rejected')
      onClose()
    },
    onError: () => toast.error(isApproval ? 'Failed to approve payment' : 'Failed to reject payment'),
    onSettled: () => client.invalidateQueries({ queryKey: paymentsKey }),
  })
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title={isApproval ? 'Approve payment' : 'Reject payment'}
      confirmLabel={isApproval ? 'Approve' : 'Reject'}
      busyLabel={isApproval ? 'Approving...' : 'Rejecting...'}
      danger={!isApproval}
      optional={isApproval}
      busy={act.isPending}
      error={act.error && errorText(act.error)}
      onConfirm={reason => act.mutate(reason)}
    >
      {formatMoney(payment.amount_usd, { decimals: 6 })} USDT of {payment.user_email ?? 'a deleted account'},
      from {payment.from_address}, in block {payment.block_number}.{' '}
      {isApproval
        ? 'It is credited to the wallet at once, and cannot be taken back here.'
        : 'It is never credited. The coins stay where they are, and sending them back is up to you.'}
    </ReasonDialog>
  )
}

const columnsOf = (
  decide: (payment: Payment, verb: Decision['verb']) => void,
): readonly Column<Payment>[] => [
  {
    id: 'id',
    header: 'Payment',
    phone: 'lead',
    cell: ({ id }) => <span className="font-mono text-code">{id.slice(0, 8)}</span>,
  },
  {
    id: 'user',
    header: 'Customer',
    cell: row => <UserLink id={row.user_id} email={row.user_email} to="/admin" />,
  },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    phone: 'aside',
    cell: row => <Money value={row.amount_usdt} exact />,
  },
  {
    id: 'why',
    header: 'Why',
    cell: ({ reason, note }) => (
      <span>
        {reason ? reasons[reason] : ''}
        {note && <span className="text-muted">: {note}</span>}
      </span>
    ),
  },
  { id: 'proof', header: 'On the chain', cell: row => <ChainProof hash={row.tx_hash} chain={row.chain} /> },
  {
    id: 'confirmations',
    header: 'Confirmations',
    phone: 'hidden',
    className: 'tabular-nums whitespace-nowrap',
    // The list counts out of 6; what was seen stands beside it.
    cell: row => (
      <>
        {row.confirmations}/6 <span className="text-muted">({row.confirmations_seen} seen)</span>
      </>
    ),
  },
  { id: 'time', header: 'Came', phone: 'hidden', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'act',
    header: 'Decision',
    className: 'sm:w-px',
    cell: payment =>
      payment.can_decide ? (
        <span className="flex gap-2">
          <Button onClick={() => decide(payment, 'reject')}>Reject</Button>
          <Button onClick={() => decide(payment, 'approve')}>Approve</Button>
        </span>
      ) : (
        <span className="text-muted">None</span>
      ),
  },
]
