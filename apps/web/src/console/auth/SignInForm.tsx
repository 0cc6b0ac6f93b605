import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { useSignInWays } from '../session/auth-settings.ts'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { owesSecondFactor } from '../session/second-factor.ts'
import { isRemembered, setRemembered } from '../session/session-store.ts'
import { EmailField } from '../session/EmailField.tsx'
import { failureOf, mailFailure, type Refusal, unexpected, unexplained } from '../session/auth-failure.ts'
import { signInTarget } from '../session/link-targets.ts'
import { OtherWays } from './OtherWays.tsx'
import { SuspendedBand } from './SuspendedBand.tsx'
import { ResendConfirmation } from './ResendConfirmation.tsx'
import { keepTypedEmail, typedEmail } from './typed-email.ts'
import { useSpaced } from './use-spaced.ts'

interface Values {
  readonly email: string
  readonly password: string
}

/** Whatever goes wrong, what was typed stays. */
export function SignInForm({ next }: { readonly next: string | undefined }) {
  const [remember, setRemember] = useState(isRemembered)
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const [suspended, setSuspended] = useState<string | null>(null)
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  const [isMailing, setMailing] = useState(false)
  const spaced = useSpaced()
  const offline = useOfflineReason()
  const { hasSignUp } = useSignInWays()
  const form = useForm<Values>({ defaultValues: { email: typedEmail(), password: '' } })
  const { errors, isSubmitting } = form.formState

  const refuse = (error: Refusal) => {
    const { message, field, isUnconfirmed, isSuspended } = failureOf(error)
    // The band stays, and has the way on.
    if (isSuspended) return setSuspended(message)
    toast.error(message)
    if (isUnconfirmed) setUnconfirmed(form.getValues('email').trim())
    else form.setError(field ?? 'root', { message })
    if (field) form.setFocus(field)
  }
  /** Before the session comes: this is where it will be kept. */
  const begin = () => {
    setRemembered(remember)
    setUnconfirmed(null)
    setSuspended(null)
    setMailedTo(null)
    form.clearErrors()
  }

  const signIn = async ({ email, password }: Values) => {
    begin()
    try {
      const { data, error } = await auth.signInWithPassword({ email: email.trim(), password })
      if (error) return refuse(error)
      if (!owesSecondFactor(data.session)) toast.success('Welcome back!')
    } catch {
      toast.error(unexpected)
    }
  }
  /** The address alone; null after saying that it is missing. */
  const address = () => {
    const email = form.getValues('email').trim()
    if (email) return email
    form.setError('email', { message: 'Enter your email' })
    form.setFocus('email')
    return null
  }
  const mailLink = async () => {
    const email = address()
    if (!email) return
    begin()
    setMailing(true)
    const { error } = await auth
      .signInWithOtp({ email, options: { shouldCreateUser: false, emailRedirectTo: signInTarget(next) } })
      .catch(() => ({ error: unexplained }))
    setMailing(false)
    if (mailFailure(error) !== null) return refuse(error!)
    setMailedTo(email)
    spaced.sent()
  }
  const singleSignOn = async () => {
    const email = address()
    if (!email) return
    const domain = email.split('@')[1] ?? ''
    if (!domain)
      return refuse({ code: 'validation_failed', status: 400, message: 'Enter your whole work email' })
    begin()
    const { data, error } = await auth
      .signInWithSSO({ domain, options: { redirectTo: signInTarget(next) } })
      .catch(() => ({ data: null, error: unexplained }))
    if (error?.code === 'sso_provider_not_found')
      return form.setError('email', { message: `Single sign-on is not set up for ${domain}` })
    if (error) return refuse(error)
    if (data?.url) location.assign(data.url)
  }

  return (
    <form
      noValidate
      onSubmit={event => void form.handleSubmit(signIn)(event)}
      className="flex flex-col gap-4"
    >
      {errors.root && <Band tone="danger">{errors.root.message}</Band>}
      {suspended && <SuspendedBand words={suspended} />}
      {unconfirmed && (
        <div className="flex flex-col gap-3">
          <Band tone="warn">Email not confirmed. Open the link that was mailed to {unconfirmed}.</Band>
          <ResendConfirmation email={unconfirmed} />
        </div>
      )}
      <EmailField
        {...form.register('email', {
          required: 'Enter your email',
          onChange: (event: { target: { value: string } }) => keepTypedEmail(event.target.value),
        })}
        required
        error={errors.email?.message}
      />
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
      <div className="flex flex-col gap-3 border-t border-line pt-4">
        <Button
          size="l"
          onClick={() => void mailLink()}
          busy={isMailing}
          busyLabel="Sending..."
          disabledReason={offline ?? (mailedTo === null ? null : spaced.wait)}
        >
          {mailedTo === null ? 'Email me a link' : 'Email me another link'}
        </Button>
        <div aria-live="polite" className="empty:hidden">
          {mailedTo !== null && (
            <Band tone="info">
              If {mailedTo} has an account, a link is on its way. It signs you in once, in any browser.
            </Band>
          )}
        </div>
        <OtherWays
          target={signInTarget(next)}
          onLeave={begin}
          onSso={() => void singleSignOn()}
          onRefused={refuse}
        />
      </div>
      {hasSignUp && (
        <p className="text-muted">
          No account yet?{' '}
          <Link to="/get-started" className="link inline-flex min-h-6 items-center">
            Sign up for free
          </Link>
        </p>
      )}
    </form>
  )
}
