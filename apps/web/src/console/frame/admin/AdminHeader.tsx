import { Link, useLocation } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Drawer } from '../../../ui/Drawer.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Kbd } from '../../../ui/Kbd.tsx'
import { Mark } from '../../../ui/Mark.tsx'
import { ThemeSwitch } from '../../../ui/ThemeSwitch.tsx'
import { signOut, useAuth } from '../../session/auth.tsx'
import { paletteKeys } from '../palette-keys.ts'

interface AdminHeaderProps {
  readonly isAdmin: boolean
  readonly onPalette: () => void
}

/** The bar of administration. On a phone its ways out stand in a drawer. */
export function AdminHeader({ isAdmin, onPalette }: AdminHeaderProps) {
  const { user } = useAuth()
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <header className="sticky top-0 z-sticky flex h-bar items-center gap-3 border-b border-line bg-sunken px-2 sm:px-4 lg:border-b-0">
      <span className="lg:hidden">
        <IconButton label="Menu" tooltip={false} onClick={() => setMenuOpen(true)}>
          <MenuIcon size={20} aria-hidden />
        </IconButton>
      </span>
      <Link to="/admin" className="flex items-center gap-2 rounded-control text-heading">
        <Mark />
        <span className="max-sm:sr-only">Ingot</span>
      </Link>
      <Badge tone="warn">{isAdmin ? 'Administrator' : 'Moderator'}</Badge>
      <nav aria-label="Admin" className="ml-4 max-lg:hidden">
        <Overview />
      </nav>
      <div className="ml-auto flex min-w-0 items-center gap-4">
        {isAdmin && (
          <>
            <button
              type="button"
              onClick={onPalette}
              className="flex h-control items-center justify-between gap-24 rounded-control border border-line-strong bg-raised px-3 whitespace-nowrap text-muted hover:bg-hover max-lg:hidden"
            >
              Search everything
              <Kbd>{paletteKeys}</Kbd>
            </button>
            <span className="lg:hidden">
              <IconButton label="Search everything" tooltip={false} onClick={onPalette}>
                <Search size={20} aria-hidden />
              </IconButton>
            </span>
          </>
        )}
        <div className="flex min-w-0 items-center gap-4 max-lg:hidden">
          <Link to="/console" className="link whitespace-nowrap">
            Back to Console
          </Link>
          <span className="truncate text-muted" title={user?.email}>
            {user?.email}
          </span>
          <Button onClick={() => void signOut()}>Sign Out</Button>
        </div>
      </div>
      <Drawer open={isMenuOpen} onOpenChange={setMenuOpen} side="left" title="Ingot">
        <div className="flex min-h-full flex-col gap-6">
          <nav aria-label="Admin" className="flex flex-col gap-1">
            <Overview onFollow={() => setMenuOpen(false)} />
            <Link to="/console" className="flex min-h-control items-center font-medium text-muted">
              Back to Console
            </Link>
          </nav>
          <div className="mt-auto flex flex-col gap-4">
            <ThemeSwitch legendHidden />
            <div className="flex flex-col gap-2 border-t border-line pt-3">
              <p className="truncate text-muted" title={user?.email}>
                {user?.email}
              </p>
              <Button onClick={() => void signOut()}>Sign Out</Button>
            </div>
          </div>
        </div>
      </Drawer>
    </header>
  )
}

function Overview({ onFollow }: { readonly onFollow?: () => void }) {
  const { pathname } = useLocation()
  return (
    <Link
      to="/admin"
      onClick={onFollow}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={pathname === '/admin' ? 'page' : undefined}
      className="flex min-h-control items-center font-medium text-muted hover:text-ink aria-[current=page]:font-semi aria-[current=page]:text-ink"
    >
      Overview
    </Link>
  )
}
