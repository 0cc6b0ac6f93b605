import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Band } from '../../ui/Band.tsx'
import { profileQuery } from '../accounts/queries.ts'
import { useAuth } from '../session/auth.tsx'

/** Stays until a password is set: the first proof of the address took away one that somebody else may know. */
export function PasswordBand() {
  const { user } = useAuth()
  const { data: profile } = useQuery(profileQuery)
  if (!profile?.password_dropped) return null
  return (
    <Band
      tone="info"
      full
      action={
        <Link
          to="/console/settings"
          search={{ dialog: 'password' }}
          hash="security"
          className="min-h-6 underline"
        >
          Choose a new password
        </Link>
      }
    >
      The password of this account was removed: it was set before you proved that the{' '}
      {user?.email ? 'address' : 'number'} is yours.
    </Band>
  )
}
