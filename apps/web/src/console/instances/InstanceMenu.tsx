import { type Instance, whyNot } from '@ingot/contracts/instances'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { toast } from '../../ui/toast.ts'
import { useCopy } from '../../ui/use-copy.ts'
import { useOfflineReason } from '../shell/online.ts'
import { commandsFor } from './command-text.ts'
import type { InstanceDialog } from './instances-search.ts'
import { openTerminal } from './open-terminal.ts'
import { useInstanceActions } from './use-instance-actions.ts'

interface InstanceMenuProps {
  readonly instance: Instance
  readonly onOpen: (dialog: InstanceDialog) => void
}

export function InstanceMenu({ instance, onOpen }: InstanceMenuProps) {
  const { leave, restart } = useInstanceActions(instance)
  const [, copy] = useCopy()
  const offline = useOfflineReason()
  const { id, name, status } = instance
  const copyCurl = () =>
    void copy(commandsFor(location.origin, 'get', { id })[0].text).then(done =>
      done ? toast.success('Copied to clipboard') : toast.error('The clipboard was refused by the browser'),
    )
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onOpen('details')}>View Details</MenuItem>
      <MenuItem onSelect={() => onOpen('edit')} disabledReason={whyNot('edit', status) ?? offline}>
        Edit Instance
      </MenuItem>
      <MenuItem onSelect={() => openTerminal(instance)} disabledReason={whyNot('connect', status) ?? offline}>
        Open Terminal
      </MenuItem>
      <MenuItem onSelect={() => onOpen('ssh')} disabledReason={whyNot('connect', status) ?? offline}>
        Connect via SSH
      </MenuItem>
      <MenuItem asChild>
        <Link to="/console/logs" search={{ instance: id }}>
          View Logs
        </Link>
      </MenuItem>
      <MenuItem onSelect={() => onOpen('clone')} disabledReason={whyNot('clone', status) ?? offline}>
        Clone Instance
      </MenuItem>
      <MenuItem onSelect={() => restart.mutate()} disabledReason={whyNot('restart', status) ?? offline}>
        Restart Instance
      </MenuItem>
      {instance.queue && (
        <MenuItem onSelect={() => leave.mutate()} disabledReason={offline}>
          Leave Queue
        </MenuItem>
      )}
      <MenuItem onSelect={copyCurl}>Copy as curl</MenuItem>
      <MenuSeparator />
      <MenuItem danger onSelect={() => onOpen('delete')} disabledReason={whyNot('delete', status) ?? offline}>
        Delete Instance
      </MenuItem>
    </Menu>
  )
}
