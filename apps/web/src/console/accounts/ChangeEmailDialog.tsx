import type { User } from '@supabase/auth-js'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmailField } from '../session/EmailField.tsx'
import { failureOf, unexplained } from '../session/auth-failure.ts'
import { emailChangeTarget } from '../session/link-targets.ts'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { userQuery } from './queries.ts'

interface ChangeEmailDialogProps {
  readonly user: User
  readonly open: boolean
  readonly onClose: () => void
}

export function ChangeEmailDialog({ user, open, onClose }: ChangeEmailDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Change email"
      description={`Two mails are sent: one to ${user.email ?? 'the present address'}, one to the new address. The change is done when the links in both have been opened; until then you sign in as before.`}
    >
      <ChangeEmailForm user={user} onClose={onClose} />
    </Dialog>
  )
}

/** Its own component: closing the dialog forgets what was typed. */
function ChangeEmailForm({ user, onClose }: Pick<ChangeEmailDialogProps, 'user' | 'onClose'>) {
  const client = useQueryClient()
  const form = useId()
  const [email, setEmail] = useState(user.new_email ?? '')
  const [problem, setProblem] = useState<{ readonly isField: boolean; readonly text: string }>()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (!address) return setProblem({ isField: true, text: 'Enter the new email' })
    if (address.toLowerCase() === user.email)
      return setProblem({ isField: true, text: 'This is your email already' })
    setBusy(true)
    const { error } = await auth
      .updateUser({ email: address }, { emailRedirectTo: emailChangeTarget() })
      .catch(() => ({ error: unexplained }))
    setBusy(false)
    void client.invalidateQueries({ queryKey: userQuery.queryKey })
    if (!error) {
      setProblem(undefined)
      return setSentTo(address)
    }
    setSentTo(null)
    const { message, field } = failureOf(error)
    setProblem({ isField: field === 'email', text: message })
  }

  return (
    <form id={form} noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
      <EmailField
        label="New email"
        required
        autoComplete="email"
        value={email}
        onChange={event => {
          setEmail(event.target.value)
          setProblem(undefined)
        }}
        error={problem?.isField && problem.text}
      />
      {problem && !problem.isField && <Band tone="danger">{problem.text}</Band>}
      <div aria-live="polite" className="empty:hidden">
        {sentTo !== null && (
          <Band tone="info">
            Open the link in the mail to {user.email} and the one in the mail to {sentTo}.
          </Band>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>{sentTo === null ? 'Cancel' : 'Close'}</Button>
        <Button type="submit" variant="primary" busy={isBusy} busyLabel="Sending..." disabledReason={offline}>
          {sentTo === null && !user.new_email ? 'Send both mails' : 'Send both mails again'}
        </Button>
      </div>
    </form>
  )
}
