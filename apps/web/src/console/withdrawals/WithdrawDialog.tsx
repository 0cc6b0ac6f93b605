import { IngotError } from '@ingot/contracts/errors'
import type { Output } from '@ingot/contracts/operation'
import { minimumWithdrawal, withdrawalWaitHours, type withdrawals } from '@ingot/contracts/withdrawals'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { ChallengeForm } from '../auth/ChallengeForm.tsx'
import { useAuth } from '../session/auth.tsx'
import { challengeable } from '../session/factor-text.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { termsQuery } from './queries.ts'

interface WithdrawDialogProps {
  readonly terms: Output<typeof withdrawals.terms>
  readonly onClose: () => void
}

/** A second factor that was shown long ago is shown again first. */
export function WithdrawDialog({ terms, onClose }: WithdrawDialogProps) {
  const { user } = useAuth()
  const client = useQueryClient()
  const [factors] = useState(() => challengeable(user?.factors))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Withdraw"
      description="Unspent money goes back in USDT on TRON (TRC20). Nothing is kept of it."
    >
      {terms.proof === 'factor' ? (
        <div className="flex flex-col gap-4">
          <p className="text-muted">Show your second factor once more: money is about to leave.</p>
          <ChallengeForm
            factors={factors}
            onDone={() => void client.invalidateQueries({ queryKey: termsQuery.queryKey })}
          />
        </div>
      ) : (
        <WithdrawForm terms={terms} onClose={onClose} />
      )}
    </Dialog>
  )
}

function WithdrawForm({ terms, onClose }: WithdrawDialogProps) {
  const client = useQueryClient()
  const { user } = useAuth()
  const form = useId()
  const offline = useOfflineReason()
  const [amount, setAmount] = useState('')
  const [address, setAddress] = useState('')
  const [password, setPassword] = useState('')
  const asksPassword = terms.proof === 'password'
  const request = useMutation({
    mutationFn: () =>
      api.withdrawals.request({ amount: amount.trim(), address, ...(asksPassword ? { password } : {}) }),
    onSuccess: ({ amount_usdt }) => {
      toast.success(`${formatMoney(amount_usdt)} is set aside. A mail has a link that cancels it.`)
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['wallet'] }),
  })
  const fields = request.error instanceof IngotError ? (request.error.fields ?? {}) : {}
  const isElsewhere = request.error && Object.keys(fields).length === 0
  const missing = !amount.trim()
    ? 'Enter an amount first'
    : !address.trim()
      ? 'Enter an address first'
      : asksPassword && !password
        ? 'Enter your password'
        : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!missing && !request.isPending) request.mutate()
  }
  return (
    <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <Field
        label="Amount in USDT"
        hint={`From $${minimumWithdrawal} to ${formatMoney(terms.withdrawable, { decimals: 'all' })}. Exactly this arrives.`}
        error={fields['amount']}
      >
        <Input
          inputMode="decimal"
          autoComplete="off"
          maxLength={16}
          value={amount}
          onChange={event => setAmount(event.target.value)}
          end="USDT"
          className="pr-16!"
        />
      </Field>
      <div>
        <Button onClick={() => setAmount(String(Number(terms.withdrawable)))}>
          All of it, {formatMoney(terms.withdrawable, { decimals: 'all' })}
        </Button>
      </div>
      <Field
        label="Your TRON address"
        hint="It begins with T. Take one of a wallet of your own: nobody can bring back what went to a wrong one."
        error={fields['address']}
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={60}
          value={address}
          onChange={event => setAddress(event.target.value)}
          className="font-mono"
        />
      </Field>
      {asksPassword && (
        <Field label="Password" required error={fields['password']}>
          <PasswordInput
            value={password}
            onChange={event => setPassword(event.target.value)}
            autoComplete="current-password"
          />
        </Field>
      )}
      <p className="text-muted">
        It is sent by hand, after <Time at={terms.payable_at} exact /> at the earliest: to an address that was
        not paid to before, and after a change of password, email or second factor, it takes{' '}
        {withdrawalWaitHours} hours. Until then you can cancel it here or by the link in the mail.
      </p>
      {isElsewhere && <Band tone="danger">{errorText(request.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Keep it here</Button>
        <Button
          type="submit"
          variant="primary"
          busy={request.isPending}
          busyLabel="Asking..."
          disabledReason={missing ?? offline}
        >
          Withdraw
        </Button>
      </div>
    </form>
  )
}
