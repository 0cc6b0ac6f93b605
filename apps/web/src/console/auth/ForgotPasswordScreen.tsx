import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { auth } from '../session/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AskForMail } from './AskForMail.tsx'
import { AuthPage } from './AuthPage.tsx'
import { resetTarget } from '../session/link-targets.ts'
import { keepTypedEmail, typedEmail } from './typed-email.ts'

/** Asks for the mail with the link. Its answer is the same for every address. */
export function ForgotPasswordScreen() {
  const [email, setEmail] = useState(typedEmail)
  return (
    <AuthPage>
      <PageHeading lead="Enter the email of your account. We mail you a link to set a new password.">
        Forgot password
      </PageHeading>
      <AskForMail
        primary
        email={email}
        onEmail={value => {
          keepTypedEmail(value)
          setEmail(value)
        }}
        label="Send the link"
        send={address => auth.resetPasswordForEmail(address, { redirectTo: resetTarget() })}
        sentText={address =>
          `If ${address} has an account, a link is on its way. It works once, in any browser. Look in the spam folder too.`
        }
      />
      <p className="text-muted">
        <Link to="/signin" className="link inline-flex min-h-6 items-center">
          Back to sign in
        </Link>
      </p>
    </AuthPage>
  )
}
