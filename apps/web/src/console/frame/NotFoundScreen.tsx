import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PageHeading } from '../shell/PageHeading.tsx'

export function NotFoundScreen() {
  const { pathname } = useLocation()
  useEffect(() => console.warn(`404: no screen at ${pathname}`), [pathname])
  return (
    <main className="mx-auto max-w-prose px-4 py-24">
      <p className="text-stat text-muted">404</p>
      <PageHeading lead="There is no page at this address.">Oops! Page not found</PageHeading>
      <p className="pt-4">
        <a href="/" className="link">
          Return to Home
        </a>
      </p>
    </main>
  )
}
