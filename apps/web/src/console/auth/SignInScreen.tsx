import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Band } from '../../ui/Band.tsx'
import { arrival, failureText } from '../session/arrival.ts'
import { useAuth } from '../session/auth.tsx'
import { safeNextPath } from './next-path.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { applyPendingProfile } from './apply-pending-profile.ts'
import { AuthPage } from './AuthPage.tsx'
import { ChallengeScreen } from './ChallengeScreen.tsx'
import { SignInForm } from './SignInForm.tsx'
import { forgetSignUp } from './sign-up-progress.ts'
import { forgetTypedEmail } from './typed-email.ts'

/**
 * Signed-in visitors are sent on: to the page that was asked for, else to the dashboard. Mailed links and providers
 * lead back here too, with a session or with the reason why there is none.
 */
export function SignInScreen() {
  const { user, isLoading, owesFactor } = useAuth()
  const { hash } = useLocation()
  const search: { next?: string; ended?: string; code?: string; error?: string } = useSearch({
    strict: false,
  })
  const next = safeNextPath(search.next, location.origin)
  const navigate = useNavigate()
  const isIn = user !== null && !owesFactor
  const email = user?.email
  useEffect(() => {
    if (!isIn) return
    forgetSignUp()
    forgetTypedEmail()
    // Whoever confirmed on another device finds what step 2 asked for here. It must not keep anybody waiting.
    applyPendingProfile(email).catch((error: unknown) => console.warn('the profile waits', error))
    void navigate({ href: next, replace: true })
  }, [isIn, email, next, navigate])
  if (owesFactor) return <ChallengeScreen />
  const hasFailed = arrival.failure !== null && (hash || search.code || search.error)
  return (
    <AuthPage>
      <PageHeading>Sign in</PageHeading>
      {!isLoading && !user && (
        <>
          {hasFailed && <Band tone="danger">{failureText(arrival.failure!)}</Band>}
          {search.ended && !hasFailed && (
            <Band tone="info">Your session has ended. Sign in to go on where you were.</Band>
          )}
          <SignInForm next={search.next} />
        </>
      )}
    </AuthPage>
  )
}
