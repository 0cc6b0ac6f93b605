import type { InstancePort, PortShare } from '@ingot/contracts/instance/ports'
import type { Instance } from '@ingot/contracts/instances'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { OpenPortButton } from './OpenPortButton.tsx'

export type PortAct = 'edit' | 'share' | 'publish' | 'hide' | 'remove'

interface PortRowProps {
  readonly instance: Instance
  readonly port: InstancePort
  readonly onAct: (act: PortAct) => void
  readonly onEndShare: (share: PortShare) => void
}

export function PortRow({ instance, port, onAct, onEndShare }: PortRowProps) {
  const { name, url, visibility, shares } = port
  const isPublic = visibility === 'public'
  return (
    <li aria-label={name} className="flex flex-col gap-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          <code className="font-mono text-code text-muted">{port.port}</code>
          <Badge>{isPublic ? 'Public' : 'Private'}</Badge>
        </div>
        <div className="flex flex-wrap gap-2">
          <OpenPortButton instance={instance} port={port} />
          <Button aria-label={`Share ${name}`} onClick={() => onAct('share')}>
            Share
          </Button>
          <Button
            aria-label={isPublic ? `Make ${name} private` : `Make ${name} public`}
            onClick={() => onAct(isPublic ? 'hide' : 'publish')}
          >
            {isPublic ? 'Make private' : 'Make public'}
          </Button>
          <Button aria-label={`Edit ${name}`} onClick={() => onAct('edit')}>
            Edit
          </Button>
          <Button variant="danger" aria-label={`Remove ${name}`} onClick={() => onAct('remove')}>
            Remove
          </Button>
        </div>
      </div>
      <div className="flex min-w-0 items-start gap-2 text-muted">
        <code className="min-w-0 font-mono text-code break-all">{url}</code>
        <CopyButton
          text={url}
          what={`Address of ${name}`}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
      {isPublic && <p className="text-warn">Whoever knows this address can use the port.</p>}
      {shares.length > 0 && (
        <ul aria-label={`Links to ${name}`} className="flex flex-col gap-1">
          {shares.map(share => (
            <li key={share.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="text-muted">
                Link made <Time at={share.created_at} />, ends <Time at={share.expires_at} exact />
              </span>
              <Button onClick={() => onEndShare(share)}>End link</Button>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
