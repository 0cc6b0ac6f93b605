import { type ApiKey, defaultApiKeyName, maxApiKeyName } from '@ingot/contracts/accounts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { apiKeyQuery } from './queries.ts'

interface GenerateKeyDialogProps {
  /** The one that stops working. */
  readonly present: ApiKey | null
  readonly open: boolean
  readonly onClose: () => void
  readonly onGenerated: (key: string) => void
}

export function GenerateKeyDialog({ open, ...rest }: GenerateKeyDialogProps) {
  return (
    <Dialog open={open} onOpenChange={rest.onClose} title="Generate API key" width="s">
      <GenerateKeyForm {...rest} />
    </Dialog>
  )
}

function GenerateKeyForm({ present, onClose, onGenerated }: Omit<GenerateKeyDialogProps, 'open'>) {
  const client = useQueryClient()
  const [name, setName] = useState<string>(defaultApiKeyName)
  const offline = useOfflineReason()
  const generate = useMutation({
    mutationFn: () => api.accounts.generateApiKey({ name: name.trim() || defaultApiKeyName }),
    onSuccess: ({ key_value, ...key }) => {
      client.setQueryData(apiKeyQuery.queryKey, { key })
      onGenerated(key_value)
      toast.success('New API key generated successfully')
      onClose()
    },
    onError: () => toast.error('Failed to generate API key'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!generate.isPending) generate.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {present && (
        <Band tone="warn">
          {present.name} ({present.masked}) stops working at once. Programs that use it are refused until they
          have the new key.
        </Band>
      )}
      <Field label="Name" hint="What it is for, so that you know it again.">
        <Input
          value={name}
          onChange={event => setName(event.target.value)}
          maxLength={maxApiKeyName}
          autoComplete="off"
        />
      </Field>
      {generate.error && <Band tone="danger">{errorText(generate.error)}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant={present ? 'danger-fill' : 'primary'}
          busy={generate.isPending}
          busyLabel="Generating..."
          disabledReason={offline}
        >
          {present ? 'Replace the key' : 'Generate key'}
        </Button>
      </div>
    </form>
  )
}
