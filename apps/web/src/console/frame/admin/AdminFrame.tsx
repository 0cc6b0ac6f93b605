import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { useShortcut } from '../../../ui/shortcuts.ts'
import { useRole } from '../../accounts/role.ts'
import { StaffOnly } from '../../admin/AdminOnly.tsx'
import { useAuth } from '../../session/auth.tsx'
import { useLive } from '../../shell/live.ts'
import { WalletProvider } from '../../wallet/wallet.tsx'
import { ServiceBands } from '../Bands.tsx'
import { GoKeys } from '../GoKeys.tsx'
import { KeysDialog } from '../KeysDialog.tsx'
import { SkipLink } from '../SkipLink.tsx'
import { AdminHeader } from './AdminHeader.tsx'
import { AdminPalette } from './AdminPalette.tsx'

/** What stands around every page of administration: one bar, no sidebar, and the reminder of whose things these are. */
export function AdminFrame() {
  const { user } = useAuth()
  useLive(user?.id ?? '')
  return (
    <WalletProvider>
      <StaffOnly>
        <Layout />
      </StaffOnly>
    </WalletProvider>
  )
}

function Layout() {
  const { isAdmin } = useRole()
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null)
  useShortcut('mod+k', () => setOverlay(shown => (shown === 'palette' ? null : 'palette')), isAdmin)
  useShortcut('?', () => setOverlay('keys'))
  const on = (name: 'palette' | 'keys') => ({
    open: overlay === name,
    onOpenChange: (open: boolean) => setOverlay(open ? name : null),
  })
  return (
    <div className="min-h-dvh bg-page">
      <SkipLink />
      <AdminHeader isAdmin={isAdmin} onPalette={() => setOverlay('palette')} />
      <section aria-label="Warnings">
        <Band tone="warn" full>
          {isAdmin ? 'You act as an administrator.' : 'You act as a moderator.'}{' '}
          <span className="font-normal text-muted">
            {isAdmin
              ? 'Every act asks for a reason and stands in the customer’s own timeline.'
              : 'What you write goes to the customer, and what you change stands in the audit log.'}
          </span>
        </Band>
        <ServiceBands />
      </section>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-console p-4 outline-none [--table-top:var(--spacing-bar)] sm:p-6 lg:px-8 lg:pt-5"
      >
        <Outlet />
      </main>
      {isAdmin && <AdminPalette {...on('palette')} onKeys={() => setOverlay('keys')} />}
      <GoKeys />
      <KeysDialog {...on('keys')} />
    </div>
  )
}
