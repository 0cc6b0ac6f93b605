import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { EmailField } from '../session/EmailField.tsx'
import { failureOf, unexplained } from '../session/auth-failure.ts'
import { useSignInRules } from '../session/auth-settings.ts'
import { newPasswordProblem } from '../session/new-password.ts'

interface NewPasswordFormProps {
  readonly email: string
  readonly label: string
  readonly onDone: () => void
}

/** For somebody whom a mailed link let in: the old password is not asked. The address is there for password managers. */
export function NewPasswordForm({ email, label, onDone }: NewPasswordFormProps) {
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [problem, setProblem] = useState<{ readonly field: 'new' | 'repeated' | null; text: string }>()
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const { minPasswordLength } = useSignInRules()
  const form = useId()

  const fail = (field: 'new' | 'repeated' | null, text: string) => {
    setProblem({ field, text })
    const inputs = document.getElementById(form)?.querySelectorAll<HTMLElement>('input:not([readonly])')
    if (field) inputs?.[field === 'new' ? 0 : 1]?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = newPasswordProblem(password, repeated, minPasswordLength)
    if (wrong) return fail(wrong.field, wrong.text)
    setBusy(true)
    const { error } = await auth.updateUser({ password }).catch(() => ({ error: unexplained }))
    setBusy(false)
    if (!error) return onDone()
    const { message, field } = failureOf(error)
    fail(field === 'password' ? 'new' : null, message)
  }

  return (
    <form id={form} noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
      {problem && !problem.field && <Band tone="danger">{problem.text}</Band>}
      <EmailField readOnly value={email} />
      <Field label="New password" required error={problem?.field === 'new' && problem.text}>
        <PasswordInput
          value={password}
          onChange={event => setPassword(event.target.value)}
          autoComplete="new-password"
        />
      </Field>
      <Field label="New password again" required error={problem?.field === 'repeated' && problem.text}>
        <PasswordInput
          value={repeated}
          onChange={event => setRepeated(event.target.value)}
          autoComplete="new-password"
        />
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="l"
        busy={isBusy}
        busyLabel="Saving..."
        disabledReason={offline}
      >
        {label}
      </Button>
    </form>
  )
}
