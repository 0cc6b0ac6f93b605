import type { Deposit } from '@ingot/contracts/wallet'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Progress } from '../../ui/Progress.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import type { StatusKind } from '../../ui/StatusShape.tsx'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

/** Each block is pushed. Asking again now and then tells the service that somebody still waits. */
const askAgainMs = 60_000

const depositsQuery = queryOptions({
  queryKey: ['wallet', 'deposits'],
  queryFn: ({ signal }) => api.wallet.deposits({ limit: 10 }, { signal }),
})

const isSettled = ({ status }: Deposit): boolean => status === 'confirmed' || status === 'failed'

/** Transfers on their way, from their first block to their credit. Those that were settled before are history. */
export function ArrivingDeposits({ onDone }: { readonly onDone: () => void }) {
  const { data } = useQuery({
    ...depositsQuery,
    refetchInterval: askAgainMs,
    refetchOnMount: 'always',
  })
  const [before, setBefore] = useState<ReadonlySet<string> | null>(null)
  if (data && before === null) setBefore(new Set(data.items.filter(isSettled).map(deposit => deposit.id)))
  const shown = before ? (data?.items ?? []).filter(deposit => !before.has(deposit.id)) : []
  return (
    <section aria-label="Arriving transfers" className="flex flex-col gap-2">
      <p className="text-muted">
        What arrives at this address is credited by itself
        {shown[0] ? '' : '; this window shows it as soon as the network has it'}. No hash is needed.
      </p>
      <div>
        <CopyCall call="wallet.deposits" values={{ limit: 10 }} />
      </div>
      {shown.length > 0 && (
        <ul className="rounded-panel border border-line">
          {shown.map(deposit => (
            <Arriving key={deposit.id} deposit={deposit} />
          ))}
        </ul>
      )}
      {shown.some(deposit => deposit.status === 'confirmed') && (
        <Button variant="primary" onClick={onDone} className="self-end">
          Done
        </Button>
      )}
    </section>
  )
}

const states: Record<Deposit['status'], { readonly kind: StatusKind; readonly word: string }> = {
  pending: { kind: 'changing', word: 'Arriving' },
  confirmed: { kind: 'running', word: 'Credited' },
  held: { kind: 'attention', word: 'Below the minimum' },
  failed: { kind: 'gone', word: 'Dropped by the network' },
}
const reasons: Partial<Record<NonNullable<Deposit['reason']>, (typeof states)['held']>> = {
  review: { kind: 'attention', word: 'Held for review' },
  rejected: { kind: 'gone', word: 'Not accepted' },
}
/** What the person may expect, in a sentence. */
const sentences: Partial<Record<NonNullable<Deposit['reason']>, string>> = {
  below_minimum: 'Credited together with the next transfer',
  review: 'A transfer of this size is checked by a person before it is credited. It is safe meanwhile.',
  rejected: 'It was not credited. Contact support with its hash.',
}

function Arriving({ deposit }: { readonly deposit: Deposit }) {
  const { status, reason, confirmations, confirmations_needed: needed, amount_usdt, tx_hash } = deposit
  const { kind, word } = (reason && reasons[reason]) ?? states[status]
  return (
    <li className="flex flex-col gap-1 border-t border-line px-3 py-2 first:border-t-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <span className="font-semi tabular-nums">{formatMoney(amount_usdt, { decimals: 'all' })}</span>
        <span aria-live="polite">
          <StatusMark kind={kind}>{word}</StatusMark>
        </span>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 text-muted">
        <code className="font-mono text-code" title={tx_hash}>
          {tx_hash.slice(0, 8)}…{tx_hash.slice(-6)}
        </code>
        <span className="tabular-nums">
          {status === 'pending' && `${confirmations} of ${needed} confirmations`}
        </span>
      </div>
      {reason && sentences[reason] && <p className="text-muted">{sentences[reason]}</p>}
      {status === 'pending' && <Progress label="Confirmations" value={confirmations} max={needed} />}
    </li>
  )
}
