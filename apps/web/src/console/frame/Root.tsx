import { Outlet } from '@tanstack/react-router'
import { RouteAnnouncer } from './RouteAnnouncer.tsx'

export function Root() {
  return (
    <>
      <Outlet />
      <RouteAnnouncer />
    </>
  )
}
