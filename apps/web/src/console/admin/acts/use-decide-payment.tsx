import { approvedConfirmations, type Payment } from '@ingot/contracts/payments'
import type { AdminOverview, Decision } from '@ingot/contracts/admin/overview'
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import type { Page } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import { shortId } from '../../support/ticket-text.ts'
import { decisionsQuery, overviewQuery, paymentsKey, useRefreshAdmin } from '../all-queries.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

export type Verdict = 'approve' | 'reject'

interface Subject {
  readonly id: string
  readonly amount_usdt: string
  readonly user_email: string | null
}
interface Asked {
  readonly verdict: Verdict
  readonly payment: Subject
}
interface Said extends Asked {
  readonly reason: string
}

/**
 * Approve and reject, each with a reason. What was decided shows at once, in the list, the queue and the card; a refusal
 * fetches all of it again.
 */
export function useDecidePayment() {
  const [asked, setAsked] = useState<Asked | null>(null)
  const foresee = useForesee()
  const refresh = useRefreshAdmin()
  const decide = useMutation({
    mutationFn: ({ verdict, payment: { id }, reason }: Said) => api.payments[verdict]({ id, reason }),
    onMutate: ({ verdict, payment }) => foresee(verdict, payment.id),
    onSuccess: (payment, { verdict }) =>
      toast.success(
        verdict === 'approve'
          ? `Payment approved! ${formatMoney(payment.amount_usd)} credited to user's wallet`
          : 'Payment rejected',
      ),
    onError: (error, said) =>
      toast.error(`Failed to ${said.verdict} payment. ${sentence(errorText(error))}`, {
        // With the reason that was typed.
        action: { label: 'Try again', onClick: () => decide.mutate(said) },
      }),
    onSettled: refresh,
  })
  const dialog: ReactNode = asked && (
    <ReasonDialog
      open
      onOpenChange={() => setAsked(null)}
      title={asked.verdict === 'approve' ? 'Approve payment' : 'Reject payment'}
      confirmLabel={asked.verdict === 'approve' ? 'Approve payment' : 'Reject payment'}
      danger={asked.verdict === 'reject'}
      onConfirm={reason => {
        setAsked(null)
        decide.mutate({ ...asked, reason })
      }}
    >
      <p>
        <strong className="font-semi text-ink">{asked.payment.amount_usdt} USDT</strong> of{' '}
        {asked.payment.user_email ?? 'a deleted account'}, payment{' '}
        <span className="font-mono text-code">{shortId(asked.payment.id)}</span>.{' '}
        {asked.verdict === 'approve'
          ? 'It is credited to their wallet at once. This cannot be undone.'
          : 'It is never credited. This cannot be undone.'}
      </p>
    </ReasonDialog>
  )
  return { ask: (verdict: Verdict, payment: Subject) => setAsked({ verdict, payment }), dialog }
}

/** As the service will answer it. */
function useForesee() {
  const client = useQueryClient()
  return async (verdict: Verdict, id: string) => {
    const later = [paymentsKey, decisionsQuery.queryKey, overviewQuery.queryKey]
    // An answer that is on its way would show the old state again.
    await Promise.all(later.map(queryKey => client.cancelQueries({ queryKey })))
    const decided = (payment: Payment): Payment =>
      verdict === 'approve'
        ? {
            ...payment,
            status: 'confirmed',
            confirmations: approvedConfirmations,
            can_decide: false,
            reason: null,
          }
        : { ...payment, status: 'failed', can_decide: false, reason: 'rejected' }
    client.setQueriesData<InfiniteData<Page<Payment>>>(
      { queryKey: paymentsKey },
      data =>
        data && {
          ...data,
          pages: data.pages.map(page => ({
            ...page,
            items: page.items.map(each => (each.id === id ? decided(each) : each)),
          })),
        },
    )
    client.setQueryData<{ items: Decision[]; next_cursor: null }>(
      decisionsQuery.queryKey,
      data =>
        data && { ...data, items: data.items.filter(each => each.kind !== 'payment' || each.id !== id) },
    )
    client.setQueryData<AdminOverview>(
      overviewQuery.queryKey,
      data =>
        data && {
          ...data,
          payments: {
            ...data.payments,
            pending: Math.max(0, data.payments.pending - 1),
            held: Math.max(0, data.payments.held - 1),
          },
        },
    )
  }
}
