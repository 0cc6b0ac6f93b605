import {
  type AccountDeletion,
  type BalanceChoice,
  deleteWord,
  forfeitWord,
  maxConfirmation,
} from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { api } from '../shell/api.ts'
import { leaveDeletedAccount, useAuth } from '../session/auth.tsx'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { blockedText, consequencesOf } from './deletion-words.ts'
import { deletionQuery } from './queries.ts'

interface DeleteAccountDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function DeleteAccountDialog({ open, onClose }: DeleteAccountDialogProps) {
  const { user } = useAuth()
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Delete Account"
      description={`${user?.email ?? 'Your account'} is deleted at once. Nobody can undo it.`}
      role="alertdialog"
    >
      <Deletion onClose={onClose} />
    </Dialog>
  )
}

function Deletion({ onClose }: Pick<DeleteAccountDialogProps, 'onClose'>) {
  const deletion = useQuery({ ...deletionQuery, refetchOnMount: 'always' })
  return (
    <QueryView
      query={deletion}
      failed="What would be deleted could not be loaded"
      skeleton={<Skeleton className="h-24" />}
    >
      {data => <DeletionForm deletion={data} onClose={onClose} />}
    </QueryView>
  )
}

interface DeletionFormProps extends Pick<DeleteAccountDialogProps, 'onClose'> {
  readonly deletion: AccountDeletion
}

function DeletionForm({ deletion, onClose }: DeletionFormProps) {
  const { user } = useAuth()
  const form = useId()
  const [word, setWord] = useState('')
  const [password, setPassword] = useState('')
  const [balance, setBalance] = useState<BalanceChoice>()
  const [forfeit, setForfeit] = useState('')
  const offline = useOfflineReason()
  const hasMoney = Number(deletion.balance_usd) > 0
  const blocked = blockedText(deletion)
  const remove = useMutation({
    mutationFn: () =>
      api.accounts.deleteAccount({
        confirmation: word,
        ...(deletion.proof === 'password' ? { password } : {}),
        ...(hasMoney && balance ? { balance } : {}),
        ...(hasMoney && balance === 'forfeit' ? { forfeit_confirmation: forfeit } : {}),
      }),
    onSuccess: leaveDeletedAccount,
    onError: () => toast.error('Failed to delete account'),
  })
  const fields = remove.error instanceof IngotError ? (remove.error.fields ?? {}) : {}
  const isElsewhere = remove.error && Object.keys(fields).length === 0

  const missing =
    word !== deleteWord
      ? 'Please type DELETE to confirm'
      : deletion.proof === 'password' && !password
        ? 'Enter your password'
        : hasMoney && !balance
          ? 'Choose what happens to the balance'
          : balance === 'forfeit' && forfeit !== forfeitWord
            ? `Type ${forfeitWord} to give the balance up`
            : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!missing && !blocked && !remove.isPending) remove.mutate()
  }

  return (
    <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        {consequencesOf(deletion).map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {blocked ? (
        <Band tone="warn">{blocked}</Band>
      ) : (
        <>
          {hasMoney && (
            <>
              <RadioGroup
                legend={`Your balance of ${formatMoney(deletion.balance_usd)}`}
                value={balance}
                onValueChange={setBalance}
                error={fields['balance']}
                options={[
                  {
                    value: 'refund',
                    label: 'Request refund',
                    hint: 'Somebody looks at it and writes to you by mail. It is not instant.',
                  },
                  { value: 'forfeit', label: 'Give it up', hint: 'It is gone, and cannot be claimed later.' },
                ]}
              />
              {balance === 'forfeit' && (
                <Field
                  label={`Type ${forfeitWord} to give up ${formatMoney(deletion.balance_usd)}`}
                  error={fields['forfeit_confirmation']}
                >
                  <Input
                    value={forfeit}
                    onChange={event => setForfeit(event.target.value)}
                    autoComplete="off"
                    spellCheck={false}
                    maxLength={maxConfirmation}
                  />
                </Field>
              )}
            </>
          )}
          {deletion.proof === 'password' ? (
            <Field
              label="Password"
              hint={
                (user?.identities ?? []).some(({ provider }) => provider === 'email')
                  ? undefined
                  : 'No password yet? Set one under Security, then come back.'
              }
              required
              error={fields['password']}
            >
              <PasswordInput
                value={password}
                onChange={event => setPassword(event.target.value)}
                autoComplete="current-password"
              />
            </Field>
          ) : (
            <p className="text-muted">This session has passed your second factor: no password is asked.</p>
          )}
          <Field label={`Type ${deleteWord} to confirm`} required error={fields['confirmation']}>
            <Input
              value={word}
              onChange={event => setWord(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={maxConfirmation}
            />
          </Field>
        </>
      )}
      {isElsewhere && <Band tone="danger">{errorText(remove.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Keep the account</Button>
        {!blocked && (
          <Button
            type="submit"
            variant="danger-fill"
            busy={remove.isPending}
            busyLabel="Deleting..."
            disabledReason={missing ?? offline}
          >
            Delete Account
          </Button>
        )}
      </div>
    </form>
  )
}
