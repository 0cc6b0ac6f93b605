import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { arrival } from '../session/arrival.ts'
import { useSignInWays } from '../session/auth-settings.ts'
import { useAuth } from '../session/auth.tsx'
import { AboutStep } from './AboutStep.tsx'
import { AccountStep } from './AccountStep.tsx'
import { Arrival } from './Arrival.tsx'
import { AuthPage } from './AuthPage.tsx'
import { ConfirmationFailed } from './ConfirmationFailed.tsx'
import { lastSignUp, noteSignUp } from './sign-up-progress.ts'
import { SignUpClosed } from './SignUpClosed.tsx'

/**
 * The sign-up: an account, then two questions. Mailed links lead here too: with a session the visitor is sent on, with
 * a failure the page says what to do. A session that begins while the questions are being answered (the link was
 * opened in another tab) interrupts nobody.
 */
export function GetStartedScreen() {
  const { user, isLoading } = useAuth()
  const { hash } = useLocation()
  const search: { step?: string; code?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [isStarted, setStarted] = useState(false)
  const [signedUp, setSignedUp] = useState(lastSignUp)

  const goTo = (step: 1 | 2) =>
    void navigate({ to: '/get-started', search: step === 2 ? { step: '2' } : {}, resetScroll: true })
  const created = (email: string) => {
    noteSignUp(email)
    setSignedUp(email)
    goTo(2)
  }

  const { hasSignUp } = useSignInWays()
  if (isLoading) return <AuthPage>{null}</AuthPage>
  if (user && !isStarted) return <Arrival email={user.email} />
  if (arrival.failure && (hash || search.code)) return <ConfirmationFailed failure={arrival.failure} />
  if (!hasSignUp && signedUp === null) return <SignUpClosed />
  return (
    <AuthPage>
      {search.step === '2' && signedUp !== null ? (
        <AboutStep email={signedUp} onBack={() => goTo(1)} />
      ) : (
        <AccountStep signedUp={signedUp} onStart={() => setStarted(true)} onDone={created} />
      )}
    </AuthPage>
  )
}
