import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { appToast } from '../../ui/app-toast.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { StepBar } from '../../ui/StepBar.tsx'
import { usdtConfigQuery } from './queries.ts'
import { useWallet } from './wallet.tsx'
import { DepositAmount } from './DepositAmount.tsx'
import { DepositSend } from './DepositSend.tsx'

/** While the dialog is open the service looks for a transfer often; it stops by itself after ten minutes. */
const keepWatchingMs = 300_000

export function DepositDialog() {
  const { funding, closeFunding } = useWallet()
  return (
    <Dialog
      open={funding.isOpen}
      onOpenChange={open => !open && closeFunding()}
      title="Add funds"
      description="Pay into your wallet with USDT on TRON (TRC20)."
    >
      <DepositFlow initialAmount={funding.amount} onDone={closeFunding} />
    </Dialog>
  )
}

interface DepositFlowProps {
  readonly initialAmount: string
  readonly onDone: () => void
}

/** Its own component: closing the dialog forgets step, amount and hash. */
function DepositFlow({ initialAmount, onDone }: DepositFlowProps) {
  const [step, setStep] = useState<1 | 2>(1)
  const [amount, setAmount] = useState(initialAmount)
  const [hash, setHash] = useState('')
  const config = useQuery({
    ...usdtConfigQuery,
    refetchOnMount: 'always',
    refetchInterval: keepWatchingMs,
  })
  const isMissing = config.isError && !config.data
  useEffect(() => {
    if (isMissing)
      appToast({
        title: 'Error',
        description: 'Could not load payment configuration',
        variant: 'destructive',
      })
  }, [isMissing])

  return (
    <div className="flex flex-col gap-4">
      <StepBar step={step} of={2} />
      {step === 1 ? (
        <DepositAmount amount={amount} onAmount={setAmount} onProceed={() => setStep(2)} />
      ) : (
        <DepositSend
          config={config}
          amount={amount}
          hash={hash}
          onHash={setHash}
          onBack={() => setStep(1)}
          onDone={onDone}
        />
      )}
    </div>
  )
}
