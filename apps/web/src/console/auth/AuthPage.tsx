import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Mark } from '../../ui/Mark.tsx'
import { useDevTools } from '../shell/dev-tools.ts'

/** One column, nothing beside it. Controls are touch-sized on every device. */
export function AuthPage({ children }: { readonly children: ReactNode }) {
  const hasDevTools = useDevTools()
  return (
    <div data-density="touch" className="flex min-h-dvh flex-col">
      <header className="flex h-header items-center px-4 sm:px-6">
        <a href="/" className="flex items-center gap-2 rounded-control text-lead font-bold">
          <Mark />
          Ingot
        </a>
      </header>
      <main className="grow px-4 pt-6 pb-16 sm:pt-12">
        <div className="mx-auto flex w-full max-w-auth flex-col gap-6">{children}</div>
      </main>
      {hasDevTools && (
        <footer className="px-4 pb-6 text-center text-label sm:px-6">
          <Link to="/dev/mail" className="link inline-flex min-h-6 items-center font-normal">
            Development inbox
          </Link>
        </footer>
      )}
    </div>
  )
}
