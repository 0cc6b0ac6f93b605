import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Drawer } from '../../ui/Drawer.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { useAuth } from '../session/auth.tsx'
import { Bands } from './Bands.tsx'
import { GoKeys } from './GoKeys.tsx'
import { KeysDialog } from './KeysDialog.tsx'
import { useLive } from '../shell/live.ts'
import { Palette } from './Palette.tsx'
import { Sidebar } from './Sidebar.tsx'
import { SkipLink } from './SkipLink.tsx'
import { TopBar } from './TopBar.tsx'
import { useVolumesReady } from '../volumes/use-volumes-ready.ts'
import { useWallet, WalletProvider } from '../wallet/wallet.tsx'

const DepositDialog = lazy(() =>
  import('../wallet/DepositDialog.tsx').then(module => ({ default: module.DepositDialog })),
)

type Overlay = 'palette' | 'keys' | 'menu'

/** The console around every signed-in screen: top bar, sidebar (a drawer under 1024 px), wallet, palette, keys. */
export function Frame() {
  const { user } = useAuth()
  useLive(user?.id ?? '')
  useVolumesReady()
  return (
    <WalletProvider>
      <Layout />
    </WalletProvider>
  )
}

function Layout() {
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  useShortcut('mod+k', () => setOverlay(shown => (shown === 'palette' ? null : 'palette')))
  useShortcut('?', () => setOverlay('keys'))
  const on = (name: Overlay) => ({
    open: overlay === name,
    onOpenChange: (open: boolean) => setOverlay(open ? name : null),
  })
  return (
    <div className="min-h-dvh bg-page lg:bg-sunken">
      <SkipLink />
      <TopBar onMenu={() => setOverlay('menu')} onPalette={() => setOverlay('palette')} />
      <div className="lg:flex">
        {/* Behind the bar, so that its height is the window's less the bar's. */}
        <aside
          aria-label="Navigation and wallet"
          className="sticky top-0 -mt-bar hidden h-dvh w-full max-w-sidebar shrink-0 overflow-y-auto px-2 pt-bar pb-4 lg:block"
        >
          <div className="h-full pt-2">
            <Sidebar />
          </div>
        </aside>
        <div className="min-w-0 grow bg-page lg:rounded-tl-corner lg:border-l lg:border-line">
          {/* The corner and its line stay while the page scrolls under them. */}
          <div aria-hidden className="pointer-events-none sticky top-bar z-sticky h-0 max-lg:hidden">
            <div className="h-3 rounded-tl-corner border-t border-line" />
          </div>
          <Bands />
          <main
            id="content"
            tabIndex={-1}
            className="mx-auto max-w-console p-4 outline-none [--table-top:var(--spacing-bar)] sm:p-6 lg:px-8"
          >
            <Outlet />
          </main>
        </div>
      </div>
      <Drawer {...on('menu')} side="left" title="Ingot">
        <Sidebar onFollow={() => setOverlay(null)} />
      </Drawer>
      <Palette {...on('palette')} onKeys={() => setOverlay('keys')} />
      <GoKeys />
      <KeysDialog {...on('keys')} />
      <Funding />
    </div>
  )
}

/** Its code comes when it is first asked for; then it stays, so that closing it can be seen. */
function Funding() {
  const { funding } = useWallet()
  const [wasOpen, setWasOpen] = useState(false)
  if (funding.isOpen && !wasOpen) setWasOpen(true)
  if (!wasOpen) return null
  return (
    <Suspense>
      <DepositDialog />
    </Suspense>
  )
}
