import { maxProfileText } from '@ingot/contracts/accounts'
import { Link } from '@tanstack/react-router'
import { useForm, useWatch } from 'react-hook-form'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { StepBar } from '../../ui/StepBar.tsx'
import { useSignInRules } from '../session/auth-settings.ts'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { confirmationTarget } from '../session/link-targets.ts'
import { isTooShort, tooShort } from '../session/new-password.ts'
import { failureOf, unexpected } from '../session/auth-failure.ts'

interface Values {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly password: string
}

interface AccountStepProps {
  /** The address whose account was made in this tab. It is not made again. */
  readonly signedUp: string | null
  readonly onStart: () => void
  readonly onDone: (email: string) => void
}

/** Step 1: the account. */
export function AccountStep({ signedUp, onStart, onDone }: AccountStepProps) {
  const form = useForm<Values>({
    defaultValues: { firstName: '', lastName: '', email: signedUp ?? '', password: '' },
  })
  const { errors, isSubmitting } = form.formState
  const offline = useOfflineReason()
  const { minPasswordLength } = useSignInRules()
  const email = useWatch({ control: form.control, name: 'email' })
  const isMade = signedUp !== null && email.trim() === signedUp

  const create = async ({ email: typed, password, firstName, lastName }: Values) => {
    const email = typed.trim()
    onStart()
    try {
      const { data, error } = await auth.signUp({
        email,
        password,
        options: {
          data: { first_name: firstName.trim(), last_name: lastName.trim() },
          emailRedirectTo: confirmationTarget(),
        },
      })
      if (!error) {
        // Where accounts open without a mail, there is nothing to check.
        toast.success(
          data.session
            ? 'Account created!'
            : 'Account created! Please check your email to verify your account.',
        )
        onDone(email)
        return
      }
      const { message, field } = failureOf(error)
      toast.error(message)
      form.setError(field ?? 'root', { message })
      if (field) form.setFocus(field)
    } catch {
      toast.error(unexpected)
    }
  }
  const goOn = () => onDone(signedUp!)

  return (
    <>
      <StepBar step={1} of={2} />
      <PageHeading>Create your account</PageHeading>
      <form
        noValidate
        onSubmit={event => {
          if (!isMade) return void form.handleSubmit(create)(event)
          event.preventDefault()
          goOn()
        }}
        className="flex flex-col gap-4"
      >
        {errors.root && <Band tone="danger">{errors.root.message}</Band>}
        {isMade && (
          <Band tone="info">The account for {signedUp} is made. Change the email to make another one.</Band>
        )}
        {!isMade && (
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="First name" required error={errors.firstName?.message}>
              <Input
                {...form.register('firstName', { required: 'Enter your first name' })}
                autoComplete="given-name"
                maxLength={maxProfileText}
              />
            </Field>
            <Field label="Last name" required error={errors.lastName?.message}>
              <Input
                {...form.register('lastName', { required: 'Enter your last name' })}
                autoComplete="family-name"
                maxLength={maxProfileText}
              />
            </Field>
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
        {!isMade && (
          <Field label="Password" required error={errors.password?.message}>
            <PasswordInput
              {...form.register('password', {
                required: 'Enter a password',
                validate: typed => !isTooShort(typed, minPasswordLength) || tooShort(minPasswordLength),
              })}
              autoComplete="new-password"
            />
          </Field>
        )}
        <Button
          type="submit"
          variant="primary"
          size="l"
          busy={isSubmitting}
          busyLabel="Creating account..."
          disabledReason={offline}
        >
          Continue
        </Button>
        <p className="text-label font-normal text-muted">
          By continuing you agree to the{' '}
          <a href="/terms" className="link">
            Terms
          </a>{' '}
          and the{' '}
          <a href="/privacy" className="link">
            Privacy Policy
          </a>
          .
        </p>
        <p className="text-muted">
          Already have an account?{' '}
          <Link to="/signin" className="link inline-flex min-h-6 items-center">
            Sign in
          </Link>
        </p>
      </form>
    </>
  )
}
