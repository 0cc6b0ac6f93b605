import { formatUsd, type Micro } from '@ingot/contracts/money'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { fundsWord, useRunway } from '../../wallet/wallet.tsx'
import { depositFor } from '../../wallet/amount.ts'

interface WalletPanelProps {
  readonly total: Micro
  /** What must be left for what runs. */
  readonly reserve: Micro
  /** Null while it is being asked. */
  readonly balance: Micro | null
  /** Why the balance is not known. */
  readonly problem: string | null
  readonly minimum: Micro
  readonly onRetry: () => void
  readonly onAddFunds: (amount: string) => void
}

/** The wallet balance check: what is there, what will be left, or what is missing. */
export function WalletPanel({
  total,
  reserve,
  balance,
  problem,
  minimum,
  onRetry,
  onAddFunds,
}: WalletPanelProps) {
  const word = fundsWord(useRunway())
  if (problem)
    return (
      <Band tone="danger" action={<Button onClick={onRetry}>Try again</Button>}>
        {problem}
      </Band>
    )
  if (balance === null) return <p className="text-muted">Checking your wallet balance</p>
  if (balance >= total + reserve)
    return (
      <p className="flex justify-between gap-4 border-t border-line pt-3">
        <span className="text-muted">{word === 'balance' ? 'Balance' : 'Balance and credit'} after it</span>
        <Money value={formatUsd(balance - total)} />
      </p>
    )
  const { shortfall, deposit } = depositFor(total + reserve, balance, minimum)
  const amount = formatUsd(deposit)
  return (
    <section
      aria-label="Insufficient Funds"
      className="flex flex-col gap-2 rounded-panel bg-warn-soft p-3 forced-colors:border"
    >
      <h3 className="font-semi text-warn">Insufficient Funds</h3>
      <p>
        It costs <Money value={formatUsd(total)} />
        {reserve > 0n && (
          <>
            , ten minutes of what runs need <Money value={formatUsd(reserve)} />
          </>
        )}{' '}
        and your {word} is <Money value={formatUsd(balance)} />: <Money value={formatUsd(shortfall)} /> is
        missing.
        {shortfall < minimum &&
          ` The smallest deposit is ${formatMoney(formatUsd(minimum), { wholeDollars: true })}.`}
      </p>
      <Button variant="primary" onClick={() => onAddFunds(amount.slice(0, -4))}>
        Add {formatMoney(amount, { wholeDollars: true })} USDT
      </Button>
    </section>
  )
}
