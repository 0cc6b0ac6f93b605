import { useQuery } from '@tanstack/react-query'
import { Band } from '../../ui/Band.tsx'
import { formatCount } from '../../ui/format.ts'
import { instancesSummaryQuery } from '../instances/queries.ts'
import { formatWhen } from '../wallet/runway.ts'
import { useRunway, useWallet } from '../wallet/wallet.tsx'

/**
 * Before the balance ends, when; after it, what happened. Hours earlier the figure in the top bar has changed its
 * colour. The text holds a time, not a countdown: it is read out again whenever it changes.
 */
export function BalanceBand() {
  const { emptyAt, isLoading, isUnknown, addFunds } = useWallet()
  const { funds, tone } = useRunway()
  const { data } = useQuery(instancesSummaryQuery)
  const stopped = data?.stopped_by_balance ?? 0
  if (isLoading || isUnknown) return null
  const text =
    tone === 'danger' && funds > 0n
      ? `Your balance is nearly empty${emptyAt ? `: it lasts until about ${formatWhen(Date.parse(emptyAt))}` : ''}. Running instances are stopped when it is gone; their disks stay.`
      : funds === 0n && stopped > 0
        ? `Your balance is empty. ${stopped === 1 ? '1 instance was' : `${formatCount(stopped)} instances were`} stopped; the disks stay.`
        : null
  if (!text) return null
  return (
    <Band
      tone="danger"
      full
      action={
        <button type="button" onClick={() => addFunds()} className="min-h-6 underline">
          Add funds
        </button>
      }
    >
      {text}
    </Band>
  )
}
