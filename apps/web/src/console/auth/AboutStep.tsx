import { maxProfileText } from '@ingot/contracts/accounts'
import { useCaseIds, useCases } from '@ingot/contracts/accounts'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { Select } from '../../ui/Select.tsx'
import { StepBar } from '../../ui/StepBar.tsx'
import { api } from '../shell/api.ts'
import { useAuth } from '../session/auth.tsx'
import { profileErrorText } from '../shell/error-text.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { emptyProfile, savePendingProfile } from './pending-profile.ts'
import { ResendConfirmation } from './ResendConfirmation.tsx'
import { roleOptions } from './role-options.ts'
import { forgetSignUp } from './sign-up-progress.ts'

const caseOptions = useCaseIds.map(value => ({ value, label: useCases[value] }))

interface AboutStepProps {
  readonly email: string
  readonly onBack: () => void
}

/** Step 2: two questions. Saved at once when there is a session, else kept in this browser until the address is confirmed. */
export function AboutStep({ email, onBack }: AboutStepProps) {
  const { user } = useAuth()
  const navigate = useNavigate()
  const [profile, setProfile] = useState(emptyProfile)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => document.querySelector<HTMLElement>('h1')?.focus(), [])

  const keep = () => {
    savePendingProfile({ ...profile, email })
    toast.info('Please verify your email. We will finish setup after you sign in.')
    void navigate({ to: '/signin' })
  }
  const save = async () => {
    const { company, role, use_case } = profile
    try {
      await api.accounts.update({ company, role, use_case })
      forgetSignUp()
      toast.success('Profile completed successfully!')
      void navigate({ to: '/dashboard', replace: true })
    } catch (error) {
      toast.error(`Profile update failed: ${profileErrorText(error)}`)
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!user) return keep()
    setBusy(true)
    await save()
    setBusy(false)
  }

  return (
    <>
      <StepBar step={2} of={2} />
      <PageHeading>Tell us about yourself</PageHeading>
      <form noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
        <Field label="Company" optional>
          <Input
            value={profile.company}
            onChange={event => setProfile({ ...profile, company: event.target.value })}
            autoComplete="organization"
            maxLength={maxProfileText}
          />
        </Field>
        <Field label="Role">
          <Select
            options={roleOptions}
            value={profile.role || undefined}
            onValueChange={role => setProfile({ ...profile, role })}
            placeholder="Select your role"
          />
        </Field>
        <Field label="Primary use case">
          <Select
            options={caseOptions}
            value={profile.use_case || undefined}
            onValueChange={use_case => setProfile({ ...profile, use_case })}
            placeholder="Select your primary use case"
          />
        </Field>
        <Button type="submit" variant="primary" size="l" busy={isBusy} busyLabel="Setting up your account...">
          Complete Setup
        </Button>
        <Button variant="ghost" onClick={onBack}>
          ← Back
        </Button>
      </form>
      {!user && (
        <div className="flex flex-col gap-2 border-t border-line pt-4">
          <p className="text-muted">
            A link to confirm the address was mailed to <span className="text-ink">{email}</span>. If nothing
            comes, look in the spam folder; you may also have an account already.
          </p>
          <ResendConfirmation email={email} />
        </div>
      )}
    </>
  )
}
