import { useState } from 'react'
import { toast } from '../../ui/toast.ts'
import { signOut, useAuth } from '../session/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { useTitle } from '../shell/title.ts'
import { AuthPage } from './AuthPage.tsx'
import { ChallengeForm } from './ChallengeForm.tsx'
import { challengeable } from '../session/factor-text.ts'

/** Between the password and the console. It stands in place of the page asked for, which follows by itself. */
export function ChallengeScreen() {
  const { user } = useAuth()
  useTitle('Second factor')
  const [factors] = useState(() => challengeable(user?.factors))
  return (
    <AuthPage>
      <PageHeading lead={`Signing in as ${user?.email ?? 'you'}. One more step shows that it is you.`}>
        Second factor
      </PageHeading>
      <ChallengeForm factors={factors} onDone={() => toast.success('Welcome back!')} />
      <p className="text-muted">
        <button
          type="button"
          className="link inline-flex min-h-6 items-center"
          onClick={() => void signOut('/signin')}
        >
          Sign in as somebody else
        </button>
      </p>
    </AuthPage>
  )
}
