import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { notify } from '../../ui/notify.ts'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { auth } from '../shell/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { isRemembered, setRemembered } from '../shell/session-store.ts'
import { failureOf } from './failure.ts'
import { ResendConfirmation } from './ResendConfirmation.tsx'
import { lastSignUp } from './sign-up-progress.ts'

interface Values {
  readonly email: string
  readonly password: string
}

/** Whatever goes wrong, what was typed stays. */
export function SignInForm() {
  const [remember, setRemember] = useState(isRemembered)
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const offline = useOfflineReason()
  const form = useForm<Values>({ defaultValues: { email: lastSignUp() ?? '', password: '' } })
  const { errors, isSubmitting } = form.formState

  const signIn = async ({ email, password }: Values) => {
    // Before the session comes: this is where it will be kept.
    setRemembered(remember)
    setUnconfirmed(null)
    try {
      const { error } = await auth.signInWithPassword({ email: email.trim(), password })
      if (!error) {
        notify.success('Welcome back!')
        return
      }
      const { message, field, isUnconfirmed } = failureOf(error)
      notify.error(message)
      if (isUnconfirmed) setUnconfirmed(email.trim())
      else form.setError(field ?? 'root', { message })
      if (field) form.setFocus(field)
    } catch {
      notify.error('An unexpected error occurred')
    }
  }

  return (
    <form
      noValidate
      onSubmit={event => void form.handleSubmit(signIn)(event)}
      className="flex flex-col gap-4"
    >
      {errors.root && <Band tone="danger">{errors.root.message}</Band>}
      {unconfirmed && (
        <div className="flex flex-col gap-3">
          <Band tone="warn">Email not confirmed. Open the link that was mailed to {unconfirmed}.</Band>
          <ResendConfirmation email={unconfirmed} />
        </div>
      )}
      <Field label="Email" required error={errors.email?.message}>
        <Input
          {...form.register('email', { required: 'Enter your email' })}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Field
        label="Password"
        required
        error={errors.password?.message}
        aside={
          <Link to="/forgot-password" className="link inline-flex min-h-6 items-center">
            Forgot password?
          </Link>
        }
      >
        <PasswordInput
          {...form.register('password', { required: 'Enter your password' })}
          autoComplete="current-password"
        />
      </Field>
      <Checkbox
        label="Remember me"
        hint="Keeps you signed in on this device after the browser is closed."
        checked={remember}
        onCheckedChange={setRemember}
      />
      <Button
        type="submit"
        variant="primary"
        size="l"
        busy={isSubmitting}
        busyLabel="Signing in..."
        disabledReason={offline}
      >
        Sign In
      </Button>
      <p className="text-muted">
        No account yet?{' '}
        <Link to="/get-started" className="link inline-flex min-h-6 items-center">
          Sign up for free
        </Link>
      </p>
    </form>
  )
}
