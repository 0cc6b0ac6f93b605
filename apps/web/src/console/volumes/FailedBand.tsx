import { IngotError } from '@ingot/contracts/errors'
import type { Micro } from '@ingot/contracts/money'
import { formatUsd } from '@ingot/contracts/money'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { missingFor } from '../wallet/amount.ts'
import { useRunway, useWallet } from '../wallet/wallet.tsx'

interface FailedBandProps {
  /** `Failed to create volume`. */
  readonly failed: string
  readonly error: unknown
  /** As it is shown now, where something is paid. */
  readonly price?: Micro
}

/** Why nothing happened, in the dialog; nothing was charged either. */
export function FailedBand({ failed, error, price }: FailedBandProps) {
  const { addFunds } = useWallet()
  const { funds } = useRunway()
  const code = error instanceof IngotError ? error.code : null
  return (
    <Band
      tone="danger"
      action={
        code === 'insufficient_funds' &&
        price !== undefined && <Button onClick={() => addFunds(missingFor(price, funds))}>Add funds</Button>
      }
    >
      {failed}: {sentence(errorText(error))}
      {code === 'price_changed' &&
        price !== undefined &&
        ` It is ${formatMoney(formatUsd(price))} now; press again to accept it.`}
    </Band>
  )
}
