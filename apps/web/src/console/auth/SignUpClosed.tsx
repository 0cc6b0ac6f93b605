import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AuthPage } from './AuthPage.tsx'

/** The operator lets in only who is invited. */
export function SignUpClosed() {
  return (
    <AuthPage>
      <PageHeading>Accounts are by invitation</PageHeading>
      <p className="text-muted">
        New accounts are not being made here right now. If you were invited, open the link in the mail.
        Otherwise ask for one.
      </p>
      <a href="/contact" className={buttonClass('primary', 'l')}>
        Contact us
      </a>
      <Link to="/signin" className={buttonClass('secondary', 'l')}>
        Go to sign in
      </Link>
    </AuthPage>
  )
}
