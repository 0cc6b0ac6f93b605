import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkFailure } from '../session/arrival.ts'
import { auth } from '../session/auth.tsx'
import { AskForMail } from './AskForMail.tsx'
import { LinkFailed } from './LinkFailed.tsx'
import { confirmationTarget } from '../session/link-targets.ts'
import { typedEmail } from './typed-email.ts'

/** The link that confirms a new account. */
export function ConfirmationFailed({ failure }: { readonly failure: LinkFailure }) {
  const [email, setEmail] = useState(typedEmail)
  return (
    <LinkFailed failure={failure}>
      <p className="text-muted">
        If you have confirmed your address before, sign in. Otherwise ask for a new link.
      </p>
      <AskForMail
        primary
        email={email}
        onEmail={setEmail}
        label="Send a new link"
        send={address =>
          auth.resend({ type: 'signup', email: address, options: { emailRedirectTo: confirmationTarget() } })
        }
        sentText={address =>
          `A new link is on its way to ${address}, if that address waits for one. Earlier links stop working.`
        }
      />
      <p className="text-muted">
        No account yet?{' '}
        <Link to="/get-started" hash="" className="link inline-flex min-h-6 items-center">
          Create one
        </Link>
      </p>
    </LinkFailed>
  )
}
