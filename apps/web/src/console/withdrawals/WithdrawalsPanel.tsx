import { minimumWithdrawal, type Withdrawal } from '@ingot/contracts/withdrawals'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { recentQuery, termsQuery } from './queries.ts'
import { WithdrawDialog } from './WithdrawDialog.tsx'
import { shortAddress, stateKinds, stateWords } from './words.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

/** Unspent money, back to its owner. Nothing where the operator does not offer it and nothing was asked for. */
export function WithdrawalsPanel() {
  const terms = useQuery(termsQuery)
  const recent = useQuery(recentQuery)
  const [isOpen, open] = useState(false)
  const offline = useOfflineReason()
  const rows = recent.data?.items ?? []
  if (!terms.data || (!terms.data.is_offered && rows.length === 0)) return null
  const { withdrawable, minimum_usdt, is_offered } = terms.data
  const isUnderWay = rows.some(({ status }) => status === 'waiting' || status === 'sending')
  const isTooLittle = Number(withdrawable) < Number(minimum_usdt)
  const whyNot = isUnderWay
    ? 'A withdrawal is under way'
    : isTooLittle
      ? `At least ${minimumWithdrawal} USDT, and ${formatMoney(withdrawable)} can be withdrawn now`
      : offline
  return (
    <section aria-labelledby="withdrawals" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div>
          <h2 id="withdrawals" className="text-heading">
            Withdrawals
          </h2>
          <p className="text-muted">
            {is_offered
              ? `${formatMoney(withdrawable)} of what you deposited is unspent${isTooLittle ? `. From ${minimumWithdrawal} USDT it` : ' and'} can go back to a TRON address of yours.`
              : 'Withdrawals are not offered any more. What was asked for stands here.'}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {rows.length > 0 && <CopyCall call="withdrawals.list" />}
          {is_offered && (
            <Button onClick={() => open(true)} disabledReason={whyNot}>
              Withdraw
            </Button>
          )}
        </div>
      </div>
      {rows.length > 0 && (
        <Table
          label="Withdrawals"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          refreshing={recent.isPlaceholderData}
        />
      )}
      {isOpen && <WithdrawDialog terms={terms.data} onClose={() => open(false)} />}
    </section>
  )
}

const columns: readonly Column<Withdrawal>[] = [
  {
    id: 'to',
    header: 'To',
    phone: 'lead',
    cell: ({ address, tx_hash }) => (
      <span title={tx_hash ? `${address}, transaction ${tx_hash}` : address} className="font-mono">
        {shortAddress(address)}
      </span>
    ),
  },
  {
    id: 'asked',
    header: 'Asked for',
    className: 'sm:w-px',
    cell: ({ asked_at }) => (
      <span className="text-muted">
        <Time at={asked_at} />
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, payable_at, reason }) => (
      <StatusMark
        kind={stateKinds[status]}
        detail={
          status === 'waiting' && payable_at ? (
            <>
              sent after <Time at={payable_at} exact />
            </>
          ) : (
            reason
          )
        }
      >
        {stateWords[status]}
      </StatusMark>
    ),
  },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ amount_usdt }) => formatMoney(amount_usdt),
  },
  { id: 'cancel', header: 'Action', className: 'sm:w-px', cell: row => <Cancel withdrawal={row} /> },
]

/** Puts the money back: nothing is lost by it, so nothing is asked. */
function Cancel({ withdrawal: { id, status, amount_usdt } }: { readonly withdrawal: Withdrawal }) {
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => api.withdrawals.cancel({ id }),
    onSuccess: () => toast.success(`Cancelled: ${formatMoney(amount_usdt)} is back in your wallet`),
    onError: error => toast.error(errorText(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['wallet'] }),
  })
  if (status !== 'waiting') return null
  return (
    <Button onClick={() => cancel.mutate()} busy={cancel.isPending} busyLabel="Cancelling...">
      Cancel
    </Button>
  )
}
