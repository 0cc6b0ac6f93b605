import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PageHeading } from '../shell/PageHeading.tsx'
import { useAuth } from '../shell/auth.tsx'
import { safeNextPath } from '../shell/next-path.ts'
import { applyPendingProfile } from './apply-pending-profile.ts'
import { AuthPage } from './AuthPage.tsx'
import { SignInForm } from './SignInForm.tsx'
import { forgetSignUp } from './sign-up-progress.ts'

/** Signed-in visitors are sent on: to the page that was asked for, else to the dashboard. */
export function SignInScreen() {
  const { user, isLoading } = useAuth()
  const search: { next?: string } = useSearch({ strict: false })
  const next = safeNextPath(search.next, location.origin)
  const navigate = useNavigate()
  useEffect(() => {
    if (!user) return
    forgetSignUp()
    // Whoever confirmed on another device finds what step 2 asked for here. It must not keep anybody waiting.
    applyPendingProfile(user.email).catch((error: unknown) => console.warn('the profile waits', error))
    void navigate({ href: next, replace: true })
  }, [user, next, navigate])
  return (
    <AuthPage>
      <PageHeading>Sign in</PageHeading>
      {!isLoading && !user && <SignInForm />}
    </AuthPage>
  )
}
