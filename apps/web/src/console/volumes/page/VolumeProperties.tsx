import type { Volume } from '@ingot/contracts/volumes'
import { Card, Lines } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { toast } from '../../../ui/toast.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { propertiesOf } from '../properties.tsx'

export function VolumeProperties({ volume }: { readonly volume: Volume }) {
  return (
    <Card title="Properties" className="" aside={<CopyCall call="volumes.get" values={{ id: volume.id }} />}>
      <Lines
        lines={propertiesOf(volume).map(({ name, value, copy }) => [
          name,
          copy === undefined ? (
            value
          ) : (
            <span key={name} className="inline-flex items-start gap-1">
              <span title={copy} className="min-w-0 font-mono text-code break-all">
                {copy.length > 24 ? `${copy.slice(0, 13)}…` : copy}
              </span>
              <CopyButton
                text={copy}
                what={name}
                onCopied={() => toast.success(`${name} copied to clipboard`)}
              />
            </span>
          ),
        ])}
      />
    </Card>
  )
}
