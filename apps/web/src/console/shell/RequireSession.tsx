import { Outlet, useRouter } from '@tanstack/react-router'
import { Fragment, useEffect } from 'react'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { usePending } from '../../ui/use-pending.ts'
import { isSigningOut, useAuth } from './auth.tsx'
import { nextSearch } from './next-path.ts'

/** The signed-in part of the application. Visitors are asked to sign in and come back to the page they asked for. */
export function RequireSession() {
  const { user, isLoading } = useAuth()
  const router = useRouter()
  const isVisitor = !isLoading && !user && !isSigningOut()
  useEffect(() => {
    if (!isVisitor) return
    // The location changes at once, the screen only when its code is there: it may have been asked for already.
    const { pathname, searchStr } = router.state.location
    if (pathname === '/signin') return
    void router.navigate({ to: '/signin', search: nextSearch(pathname + searchStr), replace: true })
  }, [isVisitor, router])
  if (!user) return <SessionSpinner />
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
