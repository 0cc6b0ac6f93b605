import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { toast } from '../../ui/toast.ts'
import { arrival } from '../session/arrival.ts'
import { useAuth } from '../session/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { cameByMail } from '../session/second-factor.ts'
import { AuthPage } from './AuthPage.tsx'
import { ChallengeScreen } from './ChallengeScreen.tsx'
import { LinkFailed } from './LinkFailed.tsx'
import { NewPasswordForm } from './NewPasswordForm.tsx'

/** An invited person arrives signed in and without a password: without one, this mail would be the only way in. */
export function InvitationScreen() {
  const { user, session, isLoading, owesFactor } = useAuth()
  const { hash } = useLocation()
  const search: { code?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  if (isLoading) return <AuthPage>{null}</AuthPage>
  if (arrival.failure && (hash || search.code))
    return (
      <LinkFailed failure={arrival.failure}>
        <p className="text-muted">
          If you have accepted the invitation before, sign in. Otherwise ask whoever invited you to do it
          again, or set a password by mail.
        </p>
        <Link to="/forgot-password" hash="" className={buttonClass('primary', 'l')}>
          Set a password by mail
        </Link>
      </LinkFailed>
    )
  if (!session || !user || !cameByMail(session))
    return (
      <AuthPage>
        <PageHeading lead="Open the link in the mail that invited you, and this page asks for a password.">
          Invitation
        </PageHeading>
        <Link to="/signin" className={buttonClass('secondary', 'l')}>
          Go to sign in
        </Link>
      </AuthPage>
    )
  if (owesFactor) return <ChallengeScreen />
  return (
    <AuthPage>
      <PageHeading lead="Your account is made. Choose a password, so that you can come back.">
        Welcome to Ingot
      </PageHeading>
      <NewPasswordForm
        email={user.email ?? ''}
        label="Continue"
        onDone={() => {
          toast.success('Password updated successfully')
          void navigate({ to: '/dashboard', replace: true })
        }}
      />
    </AuthPage>
  )
}
