import { useQuery } from '@tanstack/react-query'
import { minimumDepositUsdt, networkFeeNote } from '@ingot/contracts/wallet'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { appToast } from '../../ui/app-toast.ts'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { formatMoney } from '../../ui/format.ts'
import { useOfflineReason } from '../shell/online.ts'
import { usdtConfigQuery } from './queries.ts'
import { testNetworkWarning } from './network-warning.ts'
import { useWallet } from './wallet.tsx'
import { readAmount } from './amount.ts'

const suggestions = ['10', '25', '50', '100']

interface DepositAmountProps {
  readonly amount: string
  readonly onAmount: (amount: string) => void
  readonly onProceed: () => void
}

/** Step 1: how much. What is credited later is what arrives, to the cent and below. */
export function DepositAmount({ amount, onAmount, onProceed }: DepositAmountProps) {
  const { isTestNetwork } = useWallet()
  const [isLeft, setLeft] = useState(false)
  const offline = useOfflineReason()
  const offer = useQuery(usdtConfigQuery).data?.credit
  const { micro, problem } = readAmount(amount)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (micro !== null) onProceed()
  }
  const explain = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || micro !== null) return
    event.preventDefault()
    setLeft(true)
    appToast({
      title: 'Invalid Amount',
      description: problem ?? `Minimum deposit is $${minimumDepositUsdt} USDT`,
      variant: 'destructive',
    })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {isTestNetwork && <Band tone="warn">{testNetworkWarning}</Band>}
      <Field
        label="Amount in USDT"
        hint={`At least $${minimumDepositUsdt}. Your own wallet pays the network ${networkFeeNote}; nothing is kept here.`}
        error={isLeft ? problem : null}
      >
        <Input
          type="number"
          inputMode="decimal"
          min={minimumDepositUsdt}
          step="0.01"
          autoComplete="off"
          value={amount}
          onChange={event => onAmount(event.target.value)}
          onBlur={() => setLeft(true)}
          onKeyDown={explain}
          end="USDT"
          className="pr-16!"
        />
      </Field>
      {offer && (
        <p>
          Your next deposit of {formatMoney(offer.minimumUsdt)} or more brings {formatMoney(offer.amountUsd)}{' '}
          of credit. It is used before your balance, for {offer.days} days, and is never paid out.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {suggestions.map(suggestion => (
          <Button key={suggestion} onClick={() => onAmount(suggestion)} aria-pressed={amount === suggestion}>
            ${suggestion}
          </Button>
        ))}
      </div>
      <div className="flex justify-end pt-2">
        <Button
          type="submit"
          variant="primary"
          disabledReason={micro === null ? (problem ?? 'Enter an amount first') : offline}
        >
          Proceed
        </Button>
      </div>
    </form>
  )
}
