import type { AdminUser } from '@ingot/contracts/admin/users'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { type AdminTab, opening, toTab } from './tab-search.ts'
import { useCopyId } from './use-copy-id.ts'

const tabsOfUser: readonly (readonly [tab: AdminTab, label: string])[] = [
  ['instances', 'Their Instances'],
  ['volumes', 'Their Volumes'],
  ['billing', 'Their Billing'],
  ['payments', 'Their Payments'],
]

export function UserMenu({ user }: { readonly user: AdminUser }) {
  const [, change] = useSearchState()
  const copyId = useCopyId()
  const { id, email } = user
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${email ?? id}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => change(opening('user', id), { step: true })}>User Details</MenuItem>
      {tabsOfUser.map(([tab, label]) => (
        <MenuItem key={tab} asChild>
          <Link to="/admin" search={{ ...toTab(tab), of: id }} resetScroll={false}>
            {label}
          </Link>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => copyId(id)}>Copy id</MenuItem>
    </Menu>
  )
}
