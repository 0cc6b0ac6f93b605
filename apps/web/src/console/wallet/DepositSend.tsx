import type { UsdtConfig } from '@ingot/contracts/wallet'
import type { UseQueryResult } from '@tanstack/react-query'
import { QueryView } from '../shell/QueryView.tsx'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useDevTools } from '../shell/dev-tools.ts'
import { ArrivingDeposits } from './ArrivingDeposits.tsx'
import { DepositTarget } from './DepositTarget.tsx'
import { Faucet } from './Faucet.tsx'
import { VerifyForm } from './VerifyForm.tsx'

interface DepositSendProps {
  readonly config: UseQueryResult<UsdtConfig>
  readonly amount: string
  readonly hash: string
  readonly onHash: (hash: string) => void
  readonly onBack: () => void
  readonly onDone: () => void
}

/** Step 2: where to send it, what is on its way, and a look at one transaction by its hash. */
export function DepositSend({ config, amount, hash, onHash, onBack, onDone }: DepositSendProps) {
  const hasDevTools = useDevTools()
  return (
    <>
      <QueryView
        query={config}
        failed="Could not load payment configuration"
        skeleton={<Skeleton className="h-24" />}
      >
        {({ networkName, walletAddress, isTestNetwork, delayedMinutes }) => (
          <div className="flex flex-col gap-4">
            {delayedMinutes !== null && (
              <Band tone="warn">
                Deposits are delayed by {delayedMinutes} minutes: we are behind the network. Nothing is lost,
                and what you send is credited as soon as we have caught up.
              </Band>
            )}
            <DepositTarget
              amount={amount}
              networkName={networkName}
              address={walletAddress}
              isTestNetwork={isTestNetwork}
            />
            {isTestNetwork && hasDevTools && (
              <Faucet address={walletAddress} amount={amount} onSent={onHash} />
            )}
            <ArrivingDeposits onDone={onDone} />
            <VerifyForm amount={amount} hash={hash} onHash={onHash} onBack={onBack} onDone={onDone} />
          </div>
        )}
      </QueryView>
      {!config.data && (
        <Button onClick={onBack} className="self-start">
          Back
        </Button>
      )}
    </>
  )
}
