import type { AdminInstance } from '@ingot/contracts/admin/instances'
import { whyNot } from '@ingot/contracts/instances'
import { Ellipsis } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { useOfflineReason } from '../../shell/online.ts'
import type { InstanceAct } from '../acts/use-instance-acts.tsx'
import { opening } from './tab-search.ts'
import { useCopyId } from './use-copy-id.ts'

interface InstanceMenuProps {
  readonly instance: AdminInstance
  readonly onAct: (act: InstanceAct, instance: AdminInstance) => void
}

export function InstanceMenu({ instance, onAct }: InstanceMenuProps) {
  const [, change] = useSearchState()
  const copyId = useCopyId()
  const offline = useOfflineReason()
  const { id, name, status, user_id } = instance
  const item = (act: InstanceAct, label: string) => (
    <MenuItem
      danger={act === 'delete'}
      onSelect={() => onAct(act, instance)}
      disabledReason={whyNot(act, status) ?? offline}
    >
      {label}
    </MenuItem>
  )
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => change(opening('instance', id), { step: true })}>Manage Instance</MenuItem>
      <MenuItem onSelect={() => change(opening('user', user_id), { step: true })}>User Details</MenuItem>
      <MenuItem onSelect={() => copyId(id)}>Copy id</MenuItem>
      <MenuSeparator />
      {item('start', 'Start Instance')}
      {item('stop', 'Stop Instance')}
      {item('delete', 'Delete Instance')}
    </Menu>
  )
}
