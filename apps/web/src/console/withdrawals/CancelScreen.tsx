import { IngotError } from '@ingot/contracts/errors'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { formatMoney } from '../../ui/format.ts'
import { AuthPage } from '../auth/AuthPage.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { PageHeading } from '../shell/PageHeading.tsx'

/** Where the link in the mail leads, without a session. Programs that look at links press no button. */
export function CancelScreen() {
  const { token = '' }: { token?: string } = useSearch({ strict: false })
  const offline = useOfflineReason()
  const cancel = useMutation({ mutationFn: () => api.withdrawals.cancelByLink({ token }) })
  if (cancel.data)
    return (
      <AuthPage>
        <PageHeading
          lead={`${formatMoney(cancel.data.amount_usdt)} is back in your wallet. If you had not asked for the withdrawal, change your password now: somebody else is signed in to your account.`}
        >
          The withdrawal is cancelled
        </PageHeading>
        <Link to="/console/settings" hash="security" className={buttonClass('primary', 'l')}>
          Change the password
        </Link>
      </AuthPage>
    )
  const isUnknown = cancel.error instanceof IngotError && cancel.error.code === 'not_found'
  return (
    <AuthPage>
      <PageHeading lead="The money goes back into your wallet and is not sent to the address in the mail.">
        Cancel the withdrawal?
      </PageHeading>
      {cancel.error && (
        <Band tone="danger">
          {isUnknown
            ? 'This link is not whole. Open it from the mail, or copy all of it.'
            : errorText(cancel.error)}
        </Band>
      )}
      <Button
        variant="primary"
        size="l"
        onClick={() => cancel.mutate()}
        busy={cancel.isPending}
        busyLabel="Cancelling..."
        disabledReason={token ? offline : 'The link is not whole'}
      >
        Cancel the withdrawal
      </Button>
    </AuthPage>
  )
}
