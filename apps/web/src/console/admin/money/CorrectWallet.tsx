import { maxReason } from '@ingot/contracts/payments'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Textarea } from '../../../ui/Textarea.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useSameKey } from '../../shell/use-same-key.ts'

interface CorrectWalletProps {
  readonly userId: string
  readonly email: string | null
  /** As the wire has it: what the wallet holds now. */
  readonly balance: string
}

/** Gives a customer money that they can spend and not withdraw, or takes what is there. The reason stands on their bill. */
export function CorrectWallet({ userId, email, balance }: CorrectWalletProps) {
  const client = useQueryClient()
  const keyFor = useSameKey()
  const [verb, choose] = useState<'credit' | 'debit'>('credit')
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const isAmount = /^\d{1,9}(\.\d{1,6})?$/.test(amount) && Number(amount) > 0
  const correct = useMutation({
    mutationFn: () => {
      const input = { id: userId, amount, reason: reason.trim() }
      return api.payments[verb](input, keyFor({ verb, ...input }))
    },
    onSuccess: ({ balance_usd }) => {
      toast.success(
        `${formatMoney(amount)} ${verb === 'credit' ? 'given' : 'taken'}. The wallet holds ${formatMoney(balance_usd)}`,
      )
      setAmount('')
      setReason('')
      void client.invalidateQueries()
    },
  })
  const missing = !isAmount ? 'Enter an amount first' : !reason.trim() ? 'Say why first' : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!missing && !correct.isPending) correct.mutate()
  }
  const after = isAmount ? Number(balance) + (verb === 'credit' ? 1 : -1) * Number(amount) : null
  return (
    <form onSubmit={submit} aria-label="Correct the wallet" className="flex flex-col gap-3">
      <RadioGroup
        legend="Correct the wallet"
        layout="segments"
        options={[
          { value: 'credit' as const, label: 'Credit' },
          { value: 'debit' as const, label: 'Debit' },
        ]}
        value={verb}
        onValueChange={choose}
      />
      <Field
        label="Amount in USD"
        hint={`${email ?? 'This account'} has ${formatMoney(balance)}${after === null ? '' : `, and ${formatMoney(after.toFixed(6))} then`}.`}
        required
      >
        <Input
          value={amount}
          inputMode="decimal"
          maxLength={16}
          onChange={event => setAmount(event.target.value.trim())}
        />
      </Field>
      <Field label="Reason" hint="The customer reads it on their bill." required>
        <Textarea
          value={reason}
          rows={2}
          maxLength={maxReason}
          onChange={event => setReason(event.target.value)}
        />
      </Field>
      {correct.error && <Band tone="danger">{errorText(correct.error)}</Band>}
      <div>
        <Button
          type="submit"
          variant={verb === 'credit' ? 'primary' : 'danger-fill'}
          busy={correct.isPending}
          disabledReason={missing}
        >
          {verb === 'credit' ? 'Give' : 'Take'} {isAmount ? formatMoney(amount, { decimals: 'all' }) : ''}
        </Button>
      </div>
    </form>
  )
}
