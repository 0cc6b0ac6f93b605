import type { Volume } from '@ingot/contracts/volumes'
import { Link } from '@tanstack/react-router'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import { toast } from '../../../ui/toast.ts'
import { curlOf } from '../../shell/CopyCall.tsx'
import { propertiesOf } from '../properties.tsx'
import { VolumeNotices } from '../VolumeNotices.tsx'
import { VolumeState } from '../VolumeState.tsx'

interface VolumeDetailsProps {
  readonly volume: Volume
  readonly onClose: () => void
}

export function VolumeDetails({ volume, onClose }: VolumeDetailsProps) {
  const { id, name, region } = volume
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      title={<Tape>{name}</Tape>}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <VolumeState volume={volume} />
          <span className="text-muted">{region}</span>
          <Link
            to="/console/network-volumes/$id"
            params={{ id }}
            className="link inline-flex min-h-6 items-center"
          >
            Files and snapshots
          </Link>
        </div>
        <VolumeNotices volume={volume} />
        <section>
          <h3 className="pb-1 text-heading">Properties</h3>
          <PropertyList
            properties={propertiesOf(volume)}
            onCopied={what => toast.success(`${what} copied to clipboard`)}
          />
        </section>
        <CommandBlock
          label="The same as a command"
          commands={[{ tool: 'HTTP', text: curlOf('volumes.get', { id }) }]}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
    </Dialog>
  )
}
