import { Link, useLocation, useSearch } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { arrival } from '../session/arrival.ts'
import { useAuth } from '../session/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AuthPage } from './AuthPage.tsx'
import { LinkFailed } from './LinkFailed.tsx'

/** Both links of a change of address lead here: the first leaves the other to be opened, the second completes it. */
export function EmailChangeScreen() {
  const { user, isLoading } = useAuth()
  const { hash } = useLocation()
  const search: { code?: string } = useSearch({ strict: false })
  const settings = (
    <Link to="/console/settings" hash="profile" className={buttonClass('primary', 'l')}>
      {user ? 'Open the settings' : 'Sign in and open the settings'}
    </Link>
  )
  if (isLoading) return <AuthPage>{null}</AuthPage>
  if (arrival.failure && (hash || search.code))
    return (
      <LinkFailed failure={arrival.failure}>
        <p className="text-muted">
          Your email is as it was. The settings show whether a change is waiting, and send its links again.
        </p>
        {settings}
      </LinkFailed>
    )
  const isFirst = arrival.message !== null
  const isDone = !isFirst && arrival.type === 'email_change' && user
  return (
    <AuthPage>
      <PageHeading
        lead={
          isFirst
            ? 'This address is confirmed. Open the link in the mail to the other address too; then the change is done.'
            : isDone
              ? `You sign in as ${user.email} from now on.`
              : 'Two mails were sent: one to the present address, one to the new one. The change is done when both links have been opened.'
        }
      >
        {isFirst ? 'One more link to open' : isDone ? 'Your email is changed' : 'Changing your email'}
      </PageHeading>
      {isDone ? (
        <Link to="/dashboard" className={buttonClass('primary', 'l')}>
          Open the dashboard
        </Link>
      ) : (
        settings
      )}
    </AuthPage>
  )
}
