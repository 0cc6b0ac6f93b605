import type { SshKey } from '@ingot/contracts/ssh'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { sshKeysQuery } from '../ssh/queries.ts'
import { AddSshKeyDialog } from '../ssh/AddSshKeyDialog.tsx'
import { rowList, Section, SettingRow } from './Section.tsx'
import { useDialog } from './use-dialog.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

export function SshKeysSection() {
  const keys = useQuery(sshKeysQuery)
  const dialog = useDialog('ssh-key')
  const [leaving, setLeaving] = useState<SshKey | null>(null)
  const offline = useOfflineReason()
  return (
    <Section id="ssh-keys" lead="With one of these keys you reach each of your instances by SSH.">
      <QueryView
        query={keys}
        failed="The SSH keys could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {({ items }) => (
          <>
            {items.length > 0 ? (
              <ul className={rowList}>
                {items.map(key => (
                  <KeyRow key={key.id} sshKey={key} onRemove={() => setLeaving(key)} />
                ))}
              </ul>
            ) : (
              <p className="text-muted">No keys yet.</p>
            )}
            <div className="flex flex-wrap gap-2">
              <Button onClick={dialog.open} disabledReason={offline}>
                Add SSH key
              </Button>
              <CopyCall call="ssh.keys" />
            </div>
          </>
        )}
      </QueryView>
      <AddSshKeyDialog open={dialog.isOpen} onClose={dialog.close} />
      <RemoveDialog sshKey={leaving} onClose={() => setLeaving(null)} />
    </Section>
  )
}

interface KeyRowProps {
  readonly sshKey: SshKey
  readonly onRemove: () => void
}

function KeyRow({ sshKey, onRemove }: KeyRowProps) {
  const { name, type, fingerprint, created_at, last_used_at } = sshKey
  return (
    <SettingRow
      title={<span className="break-words">{name}</span>}
      action={
        <Button variant="danger" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      }
    >
      <p className="font-mono text-code break-all">
        {type} {fingerprint}
      </p>
      <p className="text-label font-normal">
        Added <Time at={created_at} />,{' '}
        {last_used_at ? (
          <>
            last used <Time at={last_used_at} />
          </>
        ) : (
          'never used'
        )}
      </p>
    </SettingRow>
  )
}

interface RemoveDialogProps {
  readonly sshKey: SshKey | null
  readonly onClose: () => void
}

function RemoveDialog({ sshKey, onClose }: RemoveDialogProps) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: (id: string) => api.ssh.deleteKey({ id }),
    onSuccess: () => {
      toast.success('SSH key removed')
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: sshKeysQuery.queryKey }),
  })
  return (
    <ConfirmDialog
      open={sshKey !== null}
      onOpenChange={onClose}
      title="Remove SSH key"
      confirmLabel="Remove SSH key"
      busyLabel="Removing..."
      busy={remove.isPending}
      error={remove.error && `Failed to remove the SSH key: ${errorText(remove.error)}`}
      command={sshKey && <CopyCall call="ssh.deleteKey" values={{ id: sshKey.id }} />}
      onConfirm={() => sshKey && remove.mutate(sshKey.id)}
    >
      <strong className="font-semi text-ink">{sshKey?.name}</strong> opens none of your instances any more,
      and what is connected with it ends.
    </ConfirmDialog>
  )
}
