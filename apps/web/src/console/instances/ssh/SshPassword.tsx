import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'

/** Asked for when somebody wants to see it, and forgotten with the dialog. */
export function SshPassword({ id }: { readonly id: string }) {
  const [password, setPassword] = useState<string | null>(null)
  const [isRenewing, setRenewing] = useState(false)
  const offline = useOfflineReason()
  const show = useMutation({
    mutationFn: () => api.instances.sshPassword({ id }),
    onSuccess: shown => setPassword(shown.password),
  })
  const renew = useMutation({
    mutationFn: () => api.instances.renewSshPassword({ id }),
    onSuccess: renewed => {
      setPassword(renewed.password)
      setRenewing(false)
      toast.success('SSH password renewed')
    },
  })
  return (
    <div className="flex flex-col items-start gap-4">
      {password !== null && (
        <div className="flex max-w-full items-start gap-2">
          <code
            className="min-w-0 rounded-control bg-sunken px-3 py-1 font-mono text-code break-all"
            aria-label="SSH password"
          >
            {password}
          </code>
          <CopyButton
            text={password}
            what="SSH password"
            onCopied={() => toast.success('Copied to clipboard')}
          />
        </div>
      )}
      {show.error && <Band tone="danger">{errorText(show.error)}</Band>}
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => (password === null ? show.mutate() : setPassword(null))}
          aria-pressed={password !== null}
          busy={show.isPending}
          disabledReason={offline}
        >
          {password === null ? 'Show password' : 'Hide password'}
        </Button>
        <Button onClick={() => setRenewing(true)} disabledReason={offline}>
          Renew password
        </Button>
      </div>
      <ConfirmDialog
        open={isRenewing}
        onOpenChange={setRenewing}
        title="Renew SSH password"
        confirmLabel="Renew SSH password"
        busyLabel="Renewing..."
        busy={renew.isPending}
        error={renew.error && `Failed to renew the password: ${errorText(renew.error)}`}
        onConfirm={() => renew.mutate()}
      >
        The present password stops working at once, and what is connected with it ends. Keys are not touched.
      </ConfirmDialog>
    </div>
  )
}
