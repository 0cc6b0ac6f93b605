import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AuthPage } from './AuthPage.tsx'
import type { LinkFailure } from './confirmation-link.ts'
import { ResendConfirmation } from './ResendConfirmation.tsx'
import { lastSignUp } from './sign-up-progress.ts'

/** A mailed link that opened no session: why, and the ways on. */
export function LinkFailed({ failure }: { readonly failure: LinkFailure }) {
  const [email, setEmail] = useState(() => lastSignUp() ?? '')
  return (
    <AuthPage>
      <PageHeading>This link did not work</PageHeading>
      <Band tone="danger">
        {failure.isExpired
          ? 'The link has expired or was already used. Each link works once.'
          : failure.description || 'The service refused the link.'}
      </Band>
      <p className="text-muted">
        If you have confirmed your address before, sign in. Otherwise ask for a new link.
      </p>
      <Link to="/signin" className={buttonClass('primary', 'l')}>
        Sign In
      </Link>
      <div className="flex flex-col gap-3 border-t border-line pt-6">
        <Field label="Email">
          <Input
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        </Field>
        <ResendConfirmation email={email.trim()} label="Send a new link" />
      </div>
      <p className="text-muted">
        No account yet?{' '}
        <Link to="/get-started" hash="" className="link inline-flex min-h-6 items-center">
          Create one
        </Link>
      </p>
    </AuthPage>
  )
}
