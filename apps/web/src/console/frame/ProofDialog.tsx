import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChallengeForm } from '../auth/ChallengeForm.tsx'
import { useAuth } from '../session/auth.tsx'
import { challengeable } from '../session/factor-text.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { answerProof } from '../shell/proof.ts'
import { QueryView } from '../shell/QueryView.tsx'

const proofKey = ['accounts', 'proof'] as const

/** Over whatever asked for it. Closing it gives the call up; what was typed below stays. */
export function ProofDialog() {
  const { user } = useAuth()
  const client = useQueryClient()
  const [factors] = useState(() => challengeable(user?.factors))
  const proof = useQuery({
    queryKey: proofKey,
    queryFn: ({ signal }) => api.accounts.proof({}, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const done = () => {
    void client.invalidateQueries({ queryKey: proofKey })
    answerProof(true)
  }
  return (
    <Dialog
      open
      onOpenChange={() => answerProof(false)}
      width="s"
      title="Confirm that it is you"
      description="What you are about to do needs it. It then counts for ten minutes."
    >
      <QueryView
        query={proof}
        failed="It is not known how you can show it"
        skeleton={<Skeleton className="h-24" />}
      >
        {({ by }) =>
          by === 'factor' ? <ChallengeForm factors={factors} onDone={done} /> : <PasswordForm onDone={done} />
        }
      </QueryView>
    </Dialog>
  )
}

function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const { user } = useAuth()
  const [password, setPassword] = useState('')
  const prove = useMutation({
    mutationFn: () => api.accounts.prove({ password }),
    onSuccess: onDone,
  })
  const field = prove.error instanceof IngotError ? prove.error.fields?.['password'] : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password && !prove.isPending) prove.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <Field label="Password" required error={field}>
        <PasswordInput
          value={password}
          maxLength={1024}
          onChange={event => setPassword(event.target.value)}
          autoComplete="current-password"
        />
      </Field>
      {prove.error && !field && <Band tone="danger">{errorText(prove.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={() => answerProof(false)}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={prove.isPending}
          busyLabel="Checking..."
          disabledReason={password ? null : 'Enter your password'}
        >
          Confirm
        </Button>
      </div>
    </form>
  )
}
