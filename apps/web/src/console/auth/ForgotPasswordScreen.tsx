import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AuthPage } from './AuthPage.tsx'

export function ForgotPasswordScreen() {
  return (
    <AuthPage>
      <PageHeading lead="Setting a new password by mail is not built yet.">Forgot password</PageHeading>
      <div className="flex flex-col gap-3">
        <p>What you can do now:</p>
        <ul className="flex list-disc flex-col gap-2 pl-5">
          <li>Look in your browser or password manager: it may have kept the password.</li>
          <li>
            Stay signed in where you still are. Instances go on running, and nothing is lost while you look.
          </li>
          <li>
            <a href="/contact" className="link">
              Write to us
            </a>{' '}
            from the address of the account. Nobody here can read your password, so it has to be replaced by
            hand.
          </li>
        </ul>
      </div>
      <Link to="/signin" className={buttonClass('secondary', 'l')}>
        Back to sign in
      </Link>
    </AuthPage>
  )
}
