import type { InstancePort } from '@ingot/contracts/instance/ports'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { commandsFor } from '../command-text.ts'
import { portsQuery } from '../queries.ts'

interface SharePortDialogProps {
  readonly id: string
  readonly port: InstancePort
  readonly onClose: () => void
}

const spans = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
] as const
type Hours = (typeof spans)[number]['value']

const copied = () => toast.success('Copied to clipboard')

export function SharePortDialog({ id, port: { port, name }, onClose }: SharePortDialogProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [hours, setHours] = useState<Hours>('24')
  const input = { id, port, hours: Number(hours) }
  const share = useMutation({
    mutationFn: () => api.instances.sharePort(input),
    onSettled: () => client.invalidateQueries({ queryKey: portsQuery(id).queryKey }),
  })
  const made = share.data
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="m"
      title={`Share ${name}`}
      footer={
        made ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              busy={share.isPending}
              busyLabel="Making..."
              disabledReason={offline}
              onClick={() => share.mutate()}
            >
              Make link
            </Button>
          </>
        )
      }
    >
      {made ? (
        <div className="flex flex-col gap-4">
          <div className="flex items-start justify-between gap-4 rounded-panel bg-sunken p-4 forced-colors:border">
            <code className="min-w-0 font-mono text-code break-all">{made.url}</code>
            <CopyButton text={made.url} what="Link" labelled onCopied={copied} />
          </div>
          <p className="text-muted">
            It is shown once. Whoever has it may use this port as you do, until{' '}
            <Time at={made.expires_at} exact /> or until you end it.
          </p>
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-muted">
            Whoever has the link may use this port without signing in. It opens nothing else of yours.
          </p>
          <Field label="Ends after">
            <Select options={spans} value={hours} onValueChange={setHours} />
          </Field>
          {share.error && <Band tone="danger">{errorText(share.error)}</Band>}
          <CommandBlock
            label="The same as a command"
            commands={commandsFor(location.origin, 'sharePort', input)}
            onCopied={copied}
          />
        </div>
      )}
    </Dialog>
  )
}
