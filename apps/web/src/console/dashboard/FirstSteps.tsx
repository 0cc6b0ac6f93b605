import { balanceThresholds, minimumDepositUsdt } from '@ingot/contracts/wallet'
import { parseUsd } from '@ingot/contracts/money'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { formatMoney } from '../../ui/format.ts'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { gpusQuery } from '../catalog/queries.ts'
import { openPicker } from '../instances/instances-search.ts'
import { useRunway, useWallet } from '../wallet/wallet.tsx'

/** A new account: funds first, then an instance. The yellow button is always the step that is next. */
export function FirstSteps() {
  const { addFunds } = useWallet()
  const { balanceUsd, funds } = useRunway()
  const isFunded = funds > 0n
  const [cheapest] = (useQuery(gpusQuery).data?.items ?? [])
    .map(gpu => gpu.hourly_price)
    .toSorted((a, b) => Number(parseUsd(a) - parseUsd(b)))
  return (
    <ol className="rounded-panel border border-line bg-raised">
      <Step
        isDone={isFunded}
        title="Add funds"
        action={
          <Button variant={isFunded ? 'secondary' : 'primary'} onClick={() => addFunds()}>
            Add funds
          </Button>
        }
      >
        {isFunded
          ? `Your balance is ${formatMoney(balanceUsd)}.`
          : `Pay with USDT, from $${minimumDepositUsdt}. $${balanceThresholds.low} runs the smallest GPU for more than two days.`}
      </Step>
      <Step
        isDone={false}
        title="Deploy an instance"
        action={
          <Link
            to="/console/instances"
            search={openPicker}
            className={buttonClass(isFunded ? 'primary' : 'secondary')}
          >
            Deploy Instance
          </Link>
        }
      >
        {cheapest ? `From ${formatMoney(cheapest)} per hour, billed` : 'Billed'} by the second while it runs.
        Stopped, it costs nothing.
      </Step>
    </ol>
  )
}

interface StepProps {
  readonly isDone: boolean
  readonly title: string
  readonly action: ReactNode
  readonly children: ReactNode
}

function Step({ isDone, title, action, children }: StepProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <span className={isDone ? 'text-ok' : 'text-idle'}>
        <StatusShape kind={isDone ? 'running' : 'stopped'} />
      </span>
      <div className="min-w-0 flex-1 basis-1/2">
        <p className="font-semi">
          {title}
          {isDone && <span className="font-normal text-ok"> Done</span>}
        </p>
        <p className="text-muted">{children}</p>
      </div>
      {action}
    </li>
  )
}
