import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { appToast } from '../../ui/app-toast.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { api } from '../shell/api.ts'
import { useOfflineReason } from '../shell/online.ts'
import { failureOf, outcomeOf, type VerifyOutcome } from './verify-outcome.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

interface VerifyFormProps {
  readonly amount: string
  readonly hash: string
  readonly onHash: (hash: string) => void
  readonly onBack: () => void
  readonly onDone: () => void
}

const hashMissing = {
  title: 'Transaction Hash Required',
  description: 'Please enter your transaction hash',
  variant: 'destructive',
} as const

/** A look at one transaction. It credits nothing itself, so it can be asked as often as one likes. */
export function VerifyForm({ amount, hash, onHash, onBack, onDone }: VerifyFormProps) {
  const [fieldError, setFieldError] = useState<string>()
  const offline = useOfflineReason()
  const finish = ({ toast, isDone, fieldError }: VerifyOutcome) => {
    appToast(toast)
    setFieldError(fieldError)
    if (isDone) onDone()
  }
  const verify = useMutation({
    mutationFn: () =>
      api.wallet
        .verifyUsdtPayment({ txHash: hash.trim(), chain: 'TRC20', amount: Number(amount) })
        .then(verdict => outcomeOf(verdict, amount), failureOf),
    onSuccess: finish,
    onError: () =>
      appToast({
        title: 'Error',
        description: 'An unexpected error occurred. Please try again.',
        variant: 'destructive',
      }),
  })
  const isEmpty = hash.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty && !verify.isPending) verify.mutate()
  }
  const explain = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && isEmpty) appToast(hashMissing)
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4 border-t border-line pt-4">
      <Field
        label="Transaction hash"
        hint="To ask about a transfer that you do not see above. Your wallet shows it after sending."
        error={fieldError}
      >
        <Input
          value={hash}
          onChange={event => {
            onHash(event.target.value)
            setFieldError(undefined)
          }}
          onKeyDown={explain}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono text-code"
        />
      </Field>
      <div className="flex flex-wrap justify-between gap-2">
        <Button onClick={onBack}>Back</Button>
        <div className="ml-auto">
          <CopyCall
            call="wallet.verifyUsdtPayment"
            values={{ txHash: hash.trim(), chain: 'TRC20', amount: Number(amount) }}
          />
        </div>
        <Button
          type="submit"
          busy={verify.isPending}
          busyLabel="Verifying..."
          disabledReason={isEmpty ? 'Please enter your transaction hash' : offline}
        >
          Verify
        </Button>
      </div>
    </form>
  )
}
