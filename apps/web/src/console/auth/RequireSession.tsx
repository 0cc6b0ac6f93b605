import { Outlet, useRouter } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useEffect, useRef } from 'react'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { usePending } from '../../ui/use-pending.ts'
import { useAuth, useSigningOut } from '../session/auth.tsx'
import { nextSearch } from './next-path.ts'

const ChallengeScreen = lazy(() =>
  import('./ChallengeScreen.tsx').then(module => ({ default: module.ChallengeScreen })),
)

/**
 * The signed-in part of the application. Visitors are asked to sign in and come back to the page they asked for; so is
 * a session that owes its second factor, in place.
 */
export function RequireSession() {
  const { user, isLoading, owesFactor } = useAuth()
  const isSigningOut = useSigningOut()
  const router = useRouter()
  const wasIn = useRef(false)
  const isVisitor = !isLoading && !user && !isSigningOut
  useEffect(() => {
    if (user) wasIn.current = true
    if (!isVisitor) return
    // The location changes at once, the screen only when its code is there: it may have been asked for already.
    const { pathname, searchStr, hash } = router.state.location
    if (pathname === '/signin') return
    const ended = wasIn.current ? { ended: '1' } : {}
    const search = { ...nextSearch(pathname + searchStr + (hash && `#${hash}`)), ...ended }
    void router.navigate({ to: '/signin', search, replace: true })
  }, [isVisitor, user, router])
  if (!user) return <SessionSpinner />
  if (owesFactor)
    return (
      <Suspense>
        <ChallengeScreen />
      </Suspense>
    )
  return (
    // Another user is another console: nothing that a screen remembers outlives a change of user.
    <Fragment key={user.id}>
      <Outlet />
    </Fragment>
  )
}

function SessionSpinner() {
  const { skeleton } = usePending(true)
  if (!skeleton) return null
  return (
    <main className="flex min-h-dvh items-center justify-center gap-2 text-muted">
      <StatusShape kind="changing" />
      <p aria-live="polite">Loading your session</p>
    </main>
  )
}
