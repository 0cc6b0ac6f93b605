import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { missingFor } from '../wallet/amount.ts'
import { walletQuery } from '../wallet/queries.ts'
import { formatLeft } from '../wallet/runway.ts'
import { fundsWord, useRunway, useWallet } from '../wallet/wallet.tsx'

const hourMs = 3_600_000n

interface PaidNowProps {
  readonly price: Micro
  /** After `$10.00 now`: `for the first month, then monthly.` */
  readonly children: ReactNode
}

/** What is paid now, and the balance after it. */
export function PaidNow({ price, children }: PaidNowProps) {
  const { data } = useQuery(walletQuery)
  const runway = useRunway()
  const word = fundsWord(runway)
  const perHour = data ? parseUsd(data.drawing_per_hour) : 0n
  return (
    <p className="tabular-nums">
      <strong className="font-semi">{formatMoney(formatUsd(price))} now</strong> {children}
      {data && runway.funds >= price && (
        <span className="block text-muted">
          {word === 'balance' ? 'Balance' : 'Balance and credit'} after:{' '}
          {formatMoney(formatUsd(runway.funds - price))}
          {perHour > 0n && `, ${formatLeft(Number((price * hourMs) / perHour))} less`}.
        </span>
      )}
    </p>
  )
}

/** Where the balance does not cover a price: by how much, and the way to it. */
export function Shortfall({ price }: { readonly price: Micro }) {
  const { data } = useQuery(walletQuery)
  const runway = useRunway()
  const { addFunds } = useWallet()
  if (!data || runway.funds >= price) return null
  return (
    <Band
      tone="warn"
      action={<Button onClick={() => addFunds(missingFor(price, runway.funds))}>Add funds</Button>}
    >
      Insufficient Funds: your {fundsWord(runway)} is {formatMoney(formatUsd(runway.funds))},{' '}
      {formatMoney(formatUsd(price - runway.funds))} is missing.
    </Band>
  )
}
