import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../../ui/toast.ts'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { profileErrorText } from '../shell/error-text.ts'
import { applyPendingProfile } from './apply-pending-profile.ts'
import { AuthPage } from './AuthPage.tsx'
import { forgetSignUp } from './sign-up-progress.ts'

/** A signed-in visitor of the sign-up: what step 2 asked is saved, then the dashboard opens, either way. */
export function Arrival({ email }: { readonly email: string | undefined }) {
  const navigate = useNavigate()
  useEffect(() => {
    applyPendingProfile(email)
      .catch((error: unknown) => toast.error(`Profile update failed: ${profileErrorText(error)}`))
      .finally(() => {
        forgetSignUp()
        void navigate({ to: '/dashboard', replace: true })
      })
  }, [email, navigate])
  return (
    <AuthPage>
      <p aria-live="polite" className="flex items-center gap-2 text-muted">
        <StatusShape kind="changing" />
        Setting up your account...
      </p>
    </AuthPage>
  )
}
