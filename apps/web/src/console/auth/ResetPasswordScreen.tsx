import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../ui/button-class.ts'
import { toast } from '../../ui/toast.ts'
import { arrival, type LinkFailure } from '../session/arrival.ts'
import { auth, useAuth } from '../session/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { cameByMail } from '../session/second-factor.ts'
import { AskForMail } from './AskForMail.tsx'
import { AuthPage } from './AuthPage.tsx'
import { ChallengeScreen } from './ChallengeScreen.tsx'
import { LinkFailed } from './LinkFailed.tsx'
import { resetTarget } from '../session/link-targets.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { forgetTypedEmail, typedEmail } from './typed-email.ts'

/** The mailed link of a forgotten password leads here, with a session that may set a new one. */
export function ResetPasswordScreen() {
  const { user, session, isLoading, owesFactor } = useAuth()
  const { hash } = useLocation()
  const search: { code?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  if (isLoading) return <AuthPage>{null}</AuthPage>
  if (arrival.failure && (hash || search.code)) return <ResetFailed failure={arrival.failure} />
  if (!session || !user) return <NoLink />
  if (owesFactor) return <ChallengeScreen />
  if (!cameByMail(session)) return <SignedInAlready email={user.email ?? ''} />
  return (
    <AuthPage>
      <PageHeading lead="Every other session of this account is signed out when you save.">
        Set a new password
      </PageHeading>
      <NewPasswordForm
        email={user.email ?? ''}
        label="Save the new password"
        onDone={() => {
          forgetTypedEmail()
          toast.success('Password updated successfully')
          void navigate({ to: '/dashboard', replace: true })
        }}
      />
    </AuthPage>
  )
}

function ResetFailed({ failure }: { readonly failure: LinkFailure }) {
  const [email, setEmail] = useState(typedEmail)
  return (
    <LinkFailed failure={failure}>
      <AskForMail
        primary
        email={email}
        onEmail={setEmail}
        label="Send a new link"
        send={address => auth.resetPasswordForEmail(address, { redirectTo: resetTarget() })}
        sentText={address =>
          `If ${address} has an account, a new link is on its way. Earlier links stop working.`
        }
      />
    </LinkFailed>
  )
}

function NoLink() {
  return (
    <AuthPage>
      <PageHeading lead="A new password is set through a link that we mail to you. Open it, and this page asks for the password.">
        Set a new password
      </PageHeading>
      <Link to="/forgot-password" className={buttonClass('primary', 'l')}>
        Send me a link
      </Link>
    </AuthPage>
  )
}

function SignedInAlready({ email }: { readonly email: string }) {
  return (
    <AuthPage>
      <PageHeading lead={`You are signed in as ${email}. The password is changed in the settings.`}>
        Set a new password
      </PageHeading>
      <Link to="/console/settings" hash="security" className={buttonClass('primary', 'l')}>
        Open the settings
      </Link>
    </AuthPage>
  )
}
