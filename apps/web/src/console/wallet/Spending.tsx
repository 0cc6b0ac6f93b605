import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { Money } from '../../ui/Money.tsx'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { formatLeft, formatWhen, type Runway } from './runway.ts'
import { useRunway, useWallet } from './wallet.tsx'

const tones: Record<Runway['tone'], string> = {
  calm: 'text-muted',
  warn: 'text-warn',
  danger: 'text-danger',
}

/** Always in view: what is spent per hour, what is there, and how long it lasts. */
export function Spending() {
  const { spendingPerHour, emptyAt, isLoading, isUnknown, addFunds } = useWallet()
  const { balanceUsd, leftMs, tone } = useRunway()
  if (isLoading || isUnknown) return null
  const way = tone === 'danger' && (
    <button type="button" onClick={() => addFunds()} className="link min-h-6 font-medium max-lg:min-h-0">
      Add funds
    </button>
  )
  return (
    <div className="flex items-center gap-x-4 text-muted max-lg:flex-col max-lg:items-end max-lg:text-label max-lg:font-normal">
      <span
        className="flex items-center gap-2 whitespace-nowrap"
        title="What everything that runs costs per hour. The hour paid at deploy pays its part before the balance does."
      >
        {way && <span className="lg:hidden">{way}</span>}
        <span>
          <span className="max-lg:sr-only">Spending </span>
          <Strong>
            <Money value={spendingPerHour} per="h" />
          </Strong>
        </span>
      </span>
      <span
        className="flex items-center gap-2 whitespace-nowrap"
        title={emptyAt ? `Empty about ${formatWhen(Date.parse(emptyAt))} at this rate` : undefined}
      >
        {tone !== 'calm' && (
          <span className={tones[tone]}>
            <StatusShape kind={tone === 'danger' ? 'failed' : 'attention'} />
          </span>
        )}
        <span>
          <span className="max-lg:sr-only">Balance </span>
          <Strong>
            <Money value={balanceUsd} />
          </Strong>
          {leftMs !== null && (
            <span className={cx(tones[tone], tone !== 'calm' && 'font-medium')}>
              , {formatLeft(leftMs)}
              <span className="max-sm:sr-only"> left</span>
            </span>
          )}
        </span>
        {way && <span className="max-lg:hidden">{way}</span>}
      </span>
    </div>
  )
}

function Strong({ children }: { readonly children: ReactNode }) {
  return <span className="font-semi text-ink">{children}</span>
}
