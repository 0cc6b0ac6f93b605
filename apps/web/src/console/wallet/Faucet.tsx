import { useMutation } from '@tanstack/react-query'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { shortAmount } from './amount.ts'

interface FaucetProps {
  readonly address: string
  readonly amount: string
  readonly onSent: (hash: string) => void
}

/** On a test cloud nobody has USDT: this sends some, over the same chain and past the same scanner as the real ones. */
export function Faucet({ address, amount, onSent }: FaucetProps) {
  const offline = useOfflineReason()
  const send = useMutation({
    mutationFn: () => api.dev.faucet({ address, amount_usdt: amount.trim().replace(/\.$/, '') }),
    onSuccess: ({ tx_hash }) => onSent(tx_hash),
  })
  return (
    <div className="flex flex-col gap-2 rounded-panel border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>
          Development faucet
          <span className="block text-label font-normal text-muted">Worth nothing, free.</span>
        </p>
        <Button
          variant={send.isSuccess ? 'secondary' : 'primary'}
          onClick={() => send.mutate()}
          busy={send.isPending}
          busyLabel="Sending..."
          disabledReason={offline}
        >
          Send {shortAmount(amount)} test USDT
        </Button>
      </div>
      {send.isError && <Band tone="danger">The faucet did not pay. {errorText(send.error)}</Band>}
    </div>
  )
}
