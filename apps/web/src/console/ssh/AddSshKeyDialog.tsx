import { IngotError } from '@ingot/contracts/errors'
import { maxPublicKey, maxSshKeyName } from '@ingot/contracts/ssh'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { sshKeysQuery } from './queries.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

interface AddSshKeyDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function AddSshKeyDialog({ open, onClose }: AddSshKeyDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onClose} title="Add SSH key" width="m">
      <AddSshKeyForm onClose={onClose} />
    </Dialog>
  )
}

/** The comment of a key usually says whose it is, and where. */
const nameIn = (key: string): string => key.trim().split(/\s+/).slice(2).join(' ').slice(0, maxSshKeyName)

function AddSshKeyForm({ onClose }: Pick<AddSshKeyDialogProps, 'onClose'>) {
  const client = useQueryClient()
  const [key, setKey] = useState('')
  const [name, setName] = useState<string | null>(null)
  const offline = useOfflineReason()
  const shownName = name ?? nameIn(key)
  const add = useMutation({
    mutationFn: () => api.ssh.addKey({ name: shownName.trim(), public_key: key }),
    onSuccess: () => {
      toast.success('SSH key added')
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: sshKeysQuery.queryKey }),
  })
  const problem = add.error instanceof IngotError ? add.error.fields?.['public_key'] : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!add.isPending && missing === null) add.mutate()
  }
  const missing = !key.trim() ? 'Paste a public key first' : !shownName.trim() ? 'Give it a name first' : null
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Public key"
        hint="The line in ~/.ssh/id_ed25519.pub. Without such a file, ssh-keygen -t ed25519 makes one."
        error={problem && `The key ${problem}`}
      >
        <Textarea
          value={key}
          onChange={event => setKey(event.target.value)}
          maxLength={maxPublicKey}
          rows={4}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono text-code break-all"
        />
      </Field>
      <Field label="Name" hint="Where the key is, so that you know it again.">
        <Input
          value={shownName}
          onChange={event => setName(event.target.value)}
          maxLength={maxSshKeyName}
          autoComplete="off"
        />
      </Field>
      {add.error && !problem && <Band tone="danger">{errorText(add.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <div className="mr-auto">
          <CopyCall
            call="ssh.addKey"
            values={{ name: shownName.trim() || 'laptop', public_key: key.trim() || 'ssh-ed25519 …' }}
          />
        </div>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={add.isPending}
          busyLabel="Adding..."
          disabledReason={missing ?? offline}
        >
          Add SSH key
        </Button>
      </div>
    </form>
  )
}
