import { IngotError } from '@ingot/contracts/errors'
import { maxVolumeName, type Volume } from '@ingot/contracts/volumes'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { FailedBand } from '../FailedBand.tsx'
import { useKeepVolume } from '../queries.ts'
import { whyNot } from '../volume-text.ts'

interface RenameVolumeDialogProps {
  readonly volume: Volume
  readonly onClose: () => void
}

export function RenameVolumeDialog({ volume, onClose }: RenameVolumeDialogProps) {
  const form = useId()
  const keep = useKeepVolume()
  const offline = useOfflineReason()
  const [name, setName] = useState(volume.name)
  const [problem, setProblem] = useState<string | null>(null)
  const input = { id: volume.id, name: name.trim() }
  const rename = useMutation({
    mutationFn: () => api.volumes.rename(input),
    onSuccess: renamed => {
      keep(renamed)
      toast.success(`It is called ${renamed.name} now.`)
      onClose()
    },
    onError: error => {
      if (error instanceof IngotError && error.fields?.['name']) setProblem(`Name ${error.fields['name']}`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!input.name) return setProblem('Please enter a volume name')
    if (!rename.isPending && !offline) rename.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!rename.isPending}
      title="Rename volume"
      footer={
        <>
          <div className="mr-auto">
            <CopyCall call="volumes.rename" values={input} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={rename.isPending}
            disabledReason={whyNot('rename', volume) ?? offline}
          >
            Rename
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field
          label="Name"
          required
          error={problem}
          hint={`It is mounted by its name, at ${volume.mount_path} now; from the next start on by the new one.`}
        >
          <Input
            value={name}
            maxLength={maxVolumeName}
            autoComplete="off"
            spellCheck={false}
            onChange={event => {
              setName(event.target.value)
              setProblem(null)
              rename.reset()
            }}
          />
        </Field>
        {rename.error && !problem && <FailedBand failed="Failed to rename volume" error={rename.error} />}
      </form>
    </Dialog>
  )
}
