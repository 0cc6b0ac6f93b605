import type { Instance } from '@ingot/contracts/instances'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { formatGb } from '../../../ui/format.ts'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { curlFor } from '../command-text.ts'
import { VolumeLink } from '../../volumes/VolumeLink.tsx'
import { memoryText } from '../gpu-text.ts'
import { simulatedText } from '../simulated-text.ts'
import { Card, Lines } from '../../../ui/Card.tsx'

interface CopiedProps {
  readonly what: string
  readonly text: string
  /** Where all of it has no room. */
  readonly shown?: string
}

function Copied({ what, text, shown = text }: CopiedProps) {
  return (
    <span className="inline-flex items-start gap-1">
      <span title={shown === text ? undefined : text} className="min-w-0 font-mono text-code break-all">
        {shown}
      </span>
      <CopyButton text={text} what={what} onCopied={() => toast.success(`${what} copied to clipboard`)} />
    </span>
  )
}

export function PropertiesCard({ instance }: { readonly instance: Instance }) {
  const { id, public_ip, network_volume_id, started_at, created_at } = instance
  const simulated = simulatedText(instance)
  return (
    <Card
      title="Properties"
      className="max-lg:order-7"
      aside={<CopyCurlButton text={curlFor(location.origin, 'get', { id })} />}
    >
      <Lines
        lines={[
          ['Id', <Copied key="id" what="Id" text={id} shown={`${id.slice(0, 13)}…`} />],
          ['GPU', `${instance.gpu_type}, ${memoryText(instance.gpu_memory_gb, instance.gpu_count)}`],
          ['vCPU and RAM', `${instance.cpu_cores} vCPU, ${instance.memory_gb} GB`],
          ['Template', instance.template_name],
          [
            'Disk',
            `${formatGb(instance.system_storage_gb)} system, ${formatGb(instance.data_storage_gb)} data`,
          ],
          [
            'Volume',
            network_volume_id === null ? 'None' : <VolumeLink key="volume" id={network_volume_id} />,
          ],
          [
            'Public address',
            public_ip === null ? 'None' : <Copied key="address" what="Public address" text={public_ip} />,
          ],
          ['Created', <Time key="created" at={created_at} exact />],
          ['Last started', started_at === null ? 'Never' : <Time key="started" at={started_at} exact />],
        ]}
      />
      {simulated && <p className="text-label font-normal text-muted">{simulated}</p>}
    </Card>
  )
}
