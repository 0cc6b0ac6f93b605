import type { Volume } from '@ingot/contracts/volumes'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { formatMoney } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { toast } from '../../ui/toast.ts'
import { useCopy } from '../../ui/use-copy.ts'
import { curlOf } from '../shell/CopyCall.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { useVolumeActions } from './use-volume-actions.ts'
import { type VolumeAct, whyNot } from './volume-text.ts'
import type { VolumeDialog } from './volumes-search.ts'

interface VolumeMenuProps {
  readonly volume: Volume
  readonly onOpen: (dialog: VolumeDialog) => void
}

export function VolumeMenu({ volume, onOpen }: VolumeMenuProps) {
  const { detach, revive } = useVolumeActions(volume)
  const [, copy] = useCopy()
  const offline = useOfflineReason()
  const { id, name, status, lapsed_at, monthly_cost } = volume
  const refusal = (act: VolumeAct) => whyNot(act, volume) ?? offline
  const copyCurl = () =>
    void copy(curlOf('volumes.get', { id })).then(done =>
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
      <MenuItem asChild>
        <Link to="/console/network-volumes/$id" params={{ id }}>
          Files and Properties
        </Link>
      </MenuItem>
      {lapsed_at !== null && status !== 'deleting' && (
        <MenuItem onSelect={() => revive.mutate()} disabledReason={offline}>
          Restore for {formatMoney(monthly_cost)}
        </MenuItem>
      )}
      <MenuItem onSelect={() => onOpen('attach')} disabledReason={refusal('attach')}>
        Attach to Instance
      </MenuItem>
      <MenuItem onSelect={() => detach.mutate()} disabledReason={refusal('detach')}>
        Detach
      </MenuItem>
      <MenuItem onSelect={() => onOpen('snapshot')} disabledReason={refusal('snapshot')}>
        Take Snapshot
      </MenuItem>
      <MenuItem onSelect={() => onOpen('grow')} disabledReason={refusal('grow')}>
        Make Larger
      </MenuItem>
      <MenuItem onSelect={() => onOpen('rename')} disabledReason={refusal('rename')}>
        Rename
      </MenuItem>
      <MenuItem asChild>
        <Link to="/console/logs" search={{ volume: id }}>
          View Logs
        </Link>
      </MenuItem>
      <MenuItem onSelect={copyCurl}>Copy as curl</MenuItem>
      <MenuSeparator />
      <MenuItem danger onSelect={() => onOpen('delete')} disabledReason={refusal('delete')}>
        Delete Volume
      </MenuItem>
    </Menu>
  )
}
