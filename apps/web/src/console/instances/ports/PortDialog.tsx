import { IngotError } from '@ingot/contracts/errors'
import { type InstancePort, maxPortName, maxPortPath } from '@ingot/contracts/instance/ports'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { commandsFor } from '../command-text.ts'
import { portsQuery } from '../queries.ts'

interface PortDialogProps {
  readonly id: string
  /** The one that is changed; null: a new one. */
  readonly port: InstancePort | null
  readonly onClose: () => void
}

export function PortDialog(props: PortDialogProps) {
  return (
    <Dialog open onOpenChange={props.onClose} title={props.port ? 'Edit port' : 'Add port'} width="m">
      <PortForm {...props} />
    </Dialog>
  )
}

function PortForm({ id, port: before, onClose }: PortDialogProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [number, setNumber] = useState('')
  const [name, setName] = useState(before?.name ?? '')
  const [path, setPath] = useState(before?.path ?? '/')
  const port = before?.port ?? Number(number)
  const input = { id, port, name: name.trim() || undefined, path: path.trim() || '/' }
  const save = useMutation({
    mutationFn: () => (before ? api.instances.updatePort(input) : api.instances.addPort(input)),
    onSuccess: () => {
      toast.success(before ? `Port ${port} changed` : `Port ${port} added`)
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: portsQuery(id).queryKey }),
  })
  const fields = (save.error instanceof IngotError && save.error.fields) || {}
  const isNumber = /^\d{1,5}$/.test(number) && port >= 1 && port <= 65_535
  const missing = before || isNumber ? null : 'Write a port from 1 to 65535 first'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending && missing === null && !offline) save.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {!before && (
        <Field
          label="Port"
          hint="The number that your program listens on, such as 8888."
          error={fields['port'] && `Port ${port} ${fields['port']}`}
        >
          <Input
            value={number}
            onChange={event => setNumber(event.target.value.trim())}
            inputMode="numeric"
            maxLength={5}
            autoComplete="off"
          />
        </Field>
      )}
      <Field label="Name" optional error={fields['name'] && `The name ${fields['name']}`}>
        <Input
          value={name}
          onChange={event => setName(event.target.value)}
          maxLength={maxPortName}
          autoComplete="off"
        />
      </Field>
      <Field
        label="Opens at"
        hint="A path such as /lab. What a notebook wants in its address, such as ?token=…, can stand in it."
        error={fields['path'] && 'Write a path that begins with one slash, without spaces'}
      >
        <Input
          value={path}
          onChange={event => setPath(event.target.value)}
          maxLength={maxPortPath}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      {save.error && Object.keys(fields).length === 0 && <Band tone="danger">{errorText(save.error)}</Band>}
      {missing === null && (
        <CommandBlock
          label="The same as a command"
          commands={commandsFor(location.origin, before ? 'updatePort' : 'addPort', input)}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      )}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          busyLabel={before ? 'Saving...' : 'Adding...'}
          disabledReason={missing ?? offline}
        >
          {before ? 'Save port' : 'Add port'}
        </Button>
      </div>
    </form>
  )
}
