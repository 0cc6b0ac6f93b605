import { Button } from '../../ui/Button.tsx'
import { ThemeSwitch } from '../../ui/ThemeSwitch.tsx'
import { WalletCard } from '../wallet/WalletCard.tsx'
import { signOut, useAuth } from '../session/auth.tsx'
import { SidebarNav } from './SidebarNav.tsx'

/** What stands at the left of every page, and in the drawer of small screens. */
export function Sidebar({ onFollow }: { readonly onFollow?: () => void }) {
  const { user } = useAuth()
  return (
    <div className="flex min-h-full flex-col gap-6">
      <SidebarNav onFollow={onFollow} />
      <div className="mt-auto flex flex-col gap-4">
        <WalletCard onAct={onFollow} />
        <ThemeSwitch legendHidden />
        <div className="flex flex-col gap-2 border-t border-line px-1 pt-3">
          <p className="truncate text-muted" title={user?.email}>
            {user?.email}
          </p>
          <Button onClick={() => void signOut()}>Sign Out</Button>
        </div>
      </div>
    </div>
  )
}
