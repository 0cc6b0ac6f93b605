import { maxImportUrl } from '@ingot/contracts/files'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { isThere } from './fault-text.ts'
import { nameInUrl, whyNoImport } from './import-url.ts'
import { refetchImports } from './imports.ts'
import { joined, whyNotName } from './paths.ts'
import type { FileSource } from './source.ts'

interface ImportDialogProps {
  readonly source: FileSource
  readonly folder: string
  readonly open: boolean
  readonly onClose: () => void
}

/** What was typed stays when it is closed, until it is sent. */
export function ImportDialog({ source, folder, open, onClose }: ImportDialogProps) {
  const { kind, id } = source
  const [url, setUrl] = useState('')
  const [typedName, setName] = useState<string | null>(null)
  const [replace, setReplace] = useState(false)
  const [isTouched, touch] = useState(false)
  const offline = useOfflineReason()
  const client = useQueryClient()
  const name = typedName ?? nameInUrl(url)
  const path = joined(folder, name || 'name')
  const begin = useMutation({
    mutationFn: () => api[kind].beginImport({ id, url: url.trim(), path, replace }),
    onSuccess: () => {
      setUrl('')
      setName(null)
      setReplace(false)
      touch(false)
      onClose()
      void refetchImports(client, source)
    },
  })
  const fields = begin.error instanceof IngotError ? begin.error.fields : undefined
  const why = { url: whyNoImport(url), name: whyNotName(name) }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    touch(true)
    if (!why.url && !why.name && !begin.isPending) begin.mutate()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Import from URL"
      description="The service fetches the file, also when you close this tab."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="URL"
          hint="An https address on the public internet. What follows its ? is stored encrypted, and only until the file is here."
          error={fields?.['url'] ?? (isTouched ? (why.url ?? undefined) : undefined)}
        >
          <Input
            type="url"
            value={url}
            onChange={event => {
              setUrl(event.target.value)
              begin.reset()
            }}
            placeholder="https://"
            maxLength={maxImportUrl}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
        <Field
          label="Name"
          hint={`In ${folder}.`}
          error={fields?.['path'] ?? (isTouched ? (why.name ?? undefined) : undefined)}
        >
          <Input
            value={name}
            onChange={event => {
              setName(event.target.value)
              begin.reset()
            }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
        {(replace || isThere(begin.error)) && (
          <Checkbox label="Replace the file that is there" checked={replace} onCheckedChange={setReplace} />
        )}
        {begin.error && !fields && (
          <p role="alert" className="text-danger">
            {errorText(begin.error)}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2 pt-2">
          <div className="mr-auto">
            <CopyCall
              call={`${kind}.beginImport`}
              values={{ id, url: url.trim() || 'https://', path, replace }}
            />
          </div>
          <Button onClick={onClose}>Close</Button>
          <Button
            type="submit"
            variant="primary"
            busy={begin.isPending}
            busyLabel="Beginning..."
            disabledReason={offline ?? source.readOnly}
          >
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
