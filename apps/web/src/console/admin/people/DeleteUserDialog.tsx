import { maxEmailLength } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { Consequences, personDeletionQuery } from './Consequences.tsx'
import { type Person, ofDeleting, whyNotDeleted } from './person-words.ts'

interface DeleteUserDialogProps {
  readonly user: Person
  readonly onClose: () => void
  readonly onDone: () => void
}

/** By the command that the owner has, with the same refusals. The address is typed, so that it is this one. */
export function DeleteUserDialog({ user, onClose, onDone }: DeleteUserDialogProps) {
  const { data } = useQuery(personDeletionQuery(user.id))
  const [typed, setTyped] = useState('')
  const [typedError, setTypedError] = useState<string | null>(null)
  const wanted = data?.confirmation ?? user.email ?? 'DELETE'
  const refusal = data ? whyNotDeleted(data) : null
  const remove = useMutation({
    mutationFn: (reason: string) => api.people.delete({ id: user.id, reason, confirmation: typed.trim() }),
    onSuccess: () => {
      toast.success('User deleted successfully')
      onDone()
    },
    onError: error => {
      toast.error('Failed to delete user')
      const said = error instanceof IngotError ? error.fields?.['confirmation'] : undefined
      if (said) setTypedError(said)
    },
  })
  const confirm = (reason: string) => {
    if (typed.trim().toLowerCase() !== wanted.toLowerCase())
      return setTypedError(`Please type ${wanted} to confirm`)
    remove.mutate(reason)
  }
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title="Delete user"
      confirmLabel="Delete user"
      busyLabel="Deleting..."
      danger
      busy={remove.isPending}
      refusal={refusal}
      error={remove.error && !typedError && errorText(remove.error)}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-4">
        <div>
          <p className="pb-2 font-semi break-words text-ink">{user.email ?? user.id}</p>
          <Consequences id={user.id} of={ofDeleting} />
        </div>
        {refusal ? (
          <Band tone="warn">{refusal}</Band>
        ) : (
          <Field label={`Type ${wanted} to confirm`} error={typedError}>
            <Input
              value={typed}
              onChange={event => {
                setTyped(event.target.value)
                setTypedError(null)
              }}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={maxEmailLength}
            />
          </Field>
        )}
      </div>
    </ReasonDialog>
  )
}
