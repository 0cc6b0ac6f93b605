import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { CodeField } from '../session/CodeField.tsx'
import { failureOf, type Refusal, unexplained } from '../session/auth-failure.ts'
import { useSignInRules } from '../session/auth-settings.ts'
import { plainCode } from '../session/factor-text.ts'
import { newPasswordProblem } from '../session/new-password.ts'
import { auth, useAuth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { cameByMail } from '../session/second-factor.ts'
import { profileQuery, sessionsQuery } from './queries.ts'

interface ChangePasswordDialogProps {
  readonly email: string
  readonly open: boolean
  readonly onClose: () => void
}

export function ChangePasswordDialog({ email, open, onClose }: ChangePasswordDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Change Password"
      description="Every other session is signed out, and links mailed before stop working."
      width="s"
    >
      <ChangePasswordForm email={email} onClose={onClose} />
    </Dialog>
  )
}

type At = 'current' | 'new' | 'repeated' | 'nonce' | null

const places: Readonly<Record<string, At>> = {
  current_password_required: 'current',
  current_password_invalid: 'current',
  reauthentication_not_valid: 'nonce',
}

/** Its own component: closing the dialog forgets the passwords. */
function ChangePasswordForm({ email, onClose }: Omit<ChangePasswordDialogProps, 'open'>) {
  const client = useQueryClient()
  const form = useId()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  /** Asked for when the service wants a mailed code beside; null until then. */
  const [nonce, setNonce] = useState<string | null>(null)
  const [problem, setProblem] = useState<{ readonly at: At; readonly text: string }>()
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const { minPasswordLength } = useSignInRules()
  const { session, user } = useAuth()
  const { data: profile } = useQuery(profileQuery)
  // Whoever came by a mailed link may have forgotten it, and who signs in with a provider may have none.
  const hasCurrent =
    session !== null &&
    !cameByMail(session) &&
    !profile?.password_dropped &&
    (user?.identities ?? []).some(({ provider }) => provider === 'email')
  const at = (place: At) => problem?.at === place && problem.text

  const fail = (place: At, text: string) => {
    setProblem({ at: place, text })
    document
      .getElementById(form)
      ?.querySelector<HTMLElement>(`[name=${place ?? 'none'}]`)
      ?.focus()
  }
  const refuse = async (error: Refusal) => {
    if (error.code === 'reauthentication_needed') {
      const asked = await auth.reauthenticate()
      if (asked.error) return fail(null, failureOf(asked.error).message)
      setNonce('')
      return fail('nonce', 'Enter the code that was just mailed to you')
    }
    const { message, field } = failureOf(error)
    toast.error(error.status ? message : 'Failed to update password')
    fail(places[error.code ?? ''] ?? (field === 'password' ? 'new' : null), message)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    if (hasCurrent && !current) return fail('current', 'Enter your current password')
    const wrong = newPasswordProblem(password, repeated, minPasswordLength)
    if (wrong) return fail(wrong.field, wrong.text)
    setBusy(true)
    setProblem(undefined)
    const { error } = await auth
      .updateUser({
        password,
        ...(hasCurrent ? { current_password: current } : {}),
        ...(nonce === null ? {} : { nonce: plainCode(nonce) }),
      })
      .catch(() => ({ error: unexplained }))
    if (error) await refuse(error)
    setBusy(false)
    if (error) return
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    toast.success('Password updated successfully')
    onClose()
  }

  return (
    <form id={form} noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
      {/* Which account it is, for password managers alone. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      {hasCurrent && (
        <Field label="Current password" required error={at('current')}>
          <PasswordInput
            name="current"
            value={current}
            onChange={event => setCurrent(event.target.value)}
            autoComplete="current-password"
          />
        </Field>
      )}
      <Field label="New password" required error={at('new')}>
        <PasswordInput
          name="new"
          value={password}
          onChange={event => setPassword(event.target.value)}
          autoComplete="new-password"
        />
      </Field>
      <Field label="New password again" required error={at('repeated')}>
        <PasswordInput
          name="repeated"
          value={repeated}
          onChange={event => setRepeated(event.target.value)}
          autoComplete="new-password"
        />
      </Field>
      {nonce !== null && (
        <CodeField label="Mailed code" error={at('nonce')} value={nonce} onChange={setNonce} name="nonce" />
      )}
      {problem && !problem.at && <Band tone="danger">{problem.text}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={isBusy}
          busyLabel="Updating..."
          disabledReason={offline}
        >
          Update password
        </Button>
      </div>
    </form>
  )
}
