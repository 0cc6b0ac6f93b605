import { formatUsd } from '@ingot/contracts/money'
import { balanceLevel } from '@ingot/contracts/wallet'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { formatDate } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Money } from '../../ui/Money.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { LastsUntil } from './LastsUntil.tsx'
import { testNetworkWarning } from './network-warning.ts'
import { useRunway, useWallet } from './wallet.tsx'
import { levels } from './level.ts'

const spinMs = 500

/** The balance beside every page. `onAct` closes the drawer it may stand in. */
export function WalletCard({ onAct }: { readonly onAct?: () => void }) {
  const { isLoading, isUnknown, isTestNetwork, refresh, addFunds } = useWallet()
  const { balanceUsd, credit, creditEndsAt, funds, emptyAt, now } = useRunway()
  const [isSpinning, setSpinning] = useState(false)
  const level = levels[balanceLevel(funds)]
  const refreshNow = () => {
    refresh()
    setSpinning(true)
    setTimeout(() => setSpinning(false), spinMs)
  }
  return (
    <section
      aria-label="Wallet"
      className="flex flex-col gap-2 rounded-panel border border-line bg-raised p-3"
    >
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-label text-muted">Wallet balance</h2>
        <span className="-my-2 -mr-2">
          <IconButton label="Refresh balance" onClick={refreshNow}>
            <RefreshCw size={16} aria-hidden className={cx(isSpinning && 'animate-turn')} />
          </IconButton>
        </span>
      </div>
      <p className={cx('text-title', isLoading && 'invisible')}>
        <Money value={balanceUsd} />
      </p>
      {credit > 0n && (
        <p className="text-label font-normal text-muted">
          and <Money value={formatUsd(credit)} /> of credit, used first, until{' '}
          <span className="whitespace-nowrap tabular-nums">{formatDate(new Date(creditEndsAt!))}</span>
        </p>
      )}
      <div
        aria-live="polite"
        className={cx('flex flex-wrap justify-between gap-x-2', isLoading && 'invisible')}
      >
        {isUnknown ? (
          <span className="text-label text-muted">The balance could not be loaded.</span>
        ) : (
          <>
            <StatusMark kind={level.kind}>{level.word}</StatusMark>
            {emptyAt !== null && (
              <span className="text-muted">
                lasts <LastsUntil at={emptyAt} now={now} />
              </span>
            )}
          </>
        )}
      </div>
      <Button
        onClick={() => {
          onAct?.()
          addFunds()
        }}
      >
        Add funds
      </Button>
      {isTestNetwork && <p className="text-label font-normal text-warn">{testNetworkWarning}</p>}
    </section>
  )
}
