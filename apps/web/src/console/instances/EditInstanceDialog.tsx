import { laterStorageGb } from '@ingot/contracts/catalog'
import { type Instance, maxInstanceName, whyNot } from '@ingot/contracts/instances'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatDate, formatGb, formatHourly } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Money } from '../../ui/Money.tsx'
import { toast } from '../../ui/toast.ts'
import { Select } from '../../ui/Select.tsx'
import { useNow } from '../../ui/use-now.ts'
import { api } from '../shell/api.ts'
import { useOfflineReason } from '../shell/online.ts'
import { errorText } from '../shell/error-text.ts'
import { type AutoShutdownChoice, autoShutdownInput } from './auto-shutdown.ts'
import { AutoShutdownField } from './AutoShutdownField.tsx'
import { termEndOptions } from './deploy/TermEndChoice.tsx'
import {
  hourlyWithStorageMicro,
  isInTerm,
  whyNotStorageInTerm,
  whyNotStorageQueued,
} from '@ingot/contracts/instance-costs'
import { useKeepInstance } from './use-instance-actions.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

type Storage = (typeof laterStorageGb)[number]

interface EditInstanceDialogProps {
  readonly instance: Instance
  readonly onClose: () => void
}

export function EditInstanceDialog({ instance, onClose }: EditInstanceDialogProps) {
  const keep = useKeepInstance()
  const form = useId()
  const [name, setName] = useState(instance.name)
  const [storage, setStorage] = useState(instance.data_storage_gb)
  const [onTermEnd, setOnTermEnd] = useState(instance.on_term_end)
  const [autoShutdown, setAutoShutdown] = useState<AutoShutdownChoice>()
  const [nameError, setNameError] = useState<string | null>(null)
  const offline = useOfflineReason()
  const now = useNow(60_000)

  const storageRefusal =
    whyNot('edit_storage', instance.status) ??
    whyNotStorageQueued(instance) ??
    whyNotStorageInTerm(instance, now)
  const grows = storage !== instance.data_storage_gb && storageRefusal === null
  const hourly = formatUsd(hourlyWith(instance, storage))

  const wish = {
    id: instance.id,
    name: name.trim(),
    ...autoShutdownInput(autoShutdown),
    ...(onTermEnd === instance.on_term_end ? {} : { on_term_end: onTermEnd }),
    ...(grows ? { data_storage_gb: storage as Storage, quoted_hourly_cost: hourly } : {}),
  }
  const save = useMutation({
    mutationFn: () => api.instances.update(wish),
    onSuccess: updated => {
      keep(updated)
      toast.success('Instance updated successfully!')
      onClose()
    },
    onError: error => {
      if (error instanceof IngotError && error.fields?.['name']) setNameError(`Name ${error.fields['name']}`)
      toast.error('Failed to update instance')
    },
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return setNameError('Please provide a valid instance name')
    save.mutate()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!save.isPending}
      title="Edit instance"
      footer={
        <>
          <div className="mr-auto">
            <CopyCall call="instances.update" values={wish} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={save.isPending} disabledReason={offline}>
            Save changes
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label="Name" required error={nameError}>
          <Input
            value={name}
            maxLength={maxInstanceName}
            autoComplete="off"
            spellCheck={false}
            onChange={event => {
              setName(event.target.value)
              setNameError(null)
            }}
          />
        </Field>
        <Field
          label="Data storage"
          hint={
            storageRefusal ??
            `Beside ${formatGb(instance.system_storage_gb)} system storage. A disk never shrinks.`
          }
        >
          <Select
            value={String(storage)}
            disabled={storageRefusal !== null}
            onValueChange={value => setStorage(Number(value))}
            options={optionsFor(instance)}
          />
        </Field>
        {isInTerm(instance, now) && (
          <RadioGroup
            legend={`When the term ends, on ${formatDate(new Date(instance.paid_until!))}`}
            value={onTermEnd}
            onValueChange={setOnTermEnd}
            options={termEndOptions(instance.hourly_cost)}
          />
        )}
        <AutoShutdownField present={instance} choice={autoShutdown} onChoice={setAutoShutdown} />
        <p className="text-muted">
          {grows ? (
            <>
              <Money value={instance.hourly_cost} per="h" /> now,{' '}
              <strong className="font-semi text-ink">
                <Money value={hourly} per="h" />
              </strong>{' '}
              from the next start.
            </>
          ) : (
            <>
              It costs <Money value={instance.hourly_cost} per="h" /> while running, $0.00/h while stopped.
            </>
          )}
        </p>
        {save.error && <Band tone="danger">{errorText(save.error)}</Band>}
      </form>
    </Dialog>
  )
}

const hourlyWith = (instance: Instance, dataStorageGb: number) =>
  hourlyWithStorageMicro(parseUsd(instance.hourly_cost), instance, dataStorageGb)

/** The present size first where it is none of the four. */
function optionsFor(instance: Instance) {
  const present = instance.data_storage_gb
  return [...new Set<number>([present, ...laterStorageGb])]
    .toSorted((a, b) => a - b)
    .map(gb => ({
      value: String(gb),
      label: formatGb(gb),
      hint:
        gb === present
          ? 'as it is now'
          : gb < present
            ? 'smaller than now'
            : formatHourly(formatUsd(hourlyWith(instance, gb))),
      disabled: gb < present,
    }))
}
