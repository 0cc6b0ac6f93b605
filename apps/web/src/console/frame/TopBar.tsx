import { Link } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Mark } from '../../ui/Mark.tsx'
import { Spending } from '../wallet/Spending.tsx'
import { testNetworkWarning } from '../wallet/network-warning.ts'
import { paletteKeys } from './palette-keys.ts'
import { useWallet } from '../wallet/wallet.tsx'

interface TopBarProps {
  readonly onMenu: () => void
  readonly onPalette: () => void
}

export function TopBar({ onMenu, onPalette }: TopBarProps) {
  const { isTestNetwork } = useWallet()
  return (
    <header className="sticky top-0 z-sticky flex h-bar items-center gap-3 border-b border-line bg-sunken px-2 sm:gap-6 sm:px-4 lg:border-b-0">
      <div className="flex items-center gap-1 lg:hidden">
        <IconButton label="Menu" tooltip={false} onClick={onMenu}>
          <MenuIcon size={20} aria-hidden />
        </IconButton>
      </div>
      <Link to="/dashboard" className="flex items-center gap-2 rounded-control text-heading">
        <Mark />
        <span className="max-sm:sr-only">Ingot</span>
      </Link>
      {isTestNetwork && (
        <span className="max-lg:hidden">
          <Badge tone="warn">{testNetworkWarning}</Badge>
        </span>
      )}
      <div className="ml-auto flex min-w-0 items-center gap-2 sm:gap-4">
        <button
          type="button"
          onClick={onPalette}
          className="flex h-control w-full items-center justify-between gap-12 rounded-control border border-line-strong bg-raised px-3 whitespace-nowrap text-muted hover:bg-hover max-lg:hidden"
        >
          Search or run a command
          <Kbd>{paletteKeys}</Kbd>
        </button>
        <span className="lg:hidden">
          <IconButton label="Search or run a command" tooltip={false} onClick={onPalette}>
            <Search size={20} aria-hidden />
          </IconButton>
        </span>
        <Spending />
      </div>
    </header>
  )
}
