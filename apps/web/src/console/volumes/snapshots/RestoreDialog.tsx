import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { VolumeSnapshot } from '@ingot/contracts/volume/snapshots'
import { maxVolumeName } from '@ingot/contracts/volumes'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { formatExact, formatMoney } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { FailedBand } from '../FailedBand.tsx'
import { PaidNow, Shortfall } from '../PaidNow.tsx'
import { useKeepVolume } from '../queries.ts'
import { useQuote } from '../quote.ts'
import { SizeChoice } from '../SizeChoice.tsx'
import { useSameKey } from '../../shell/use-same-key.ts'
import { formatSize } from '../volume-text.ts'

interface RestoreDialogProps {
  readonly snapshot: VolumeSnapshot
  readonly onClose: () => void
}

/** A new volume that holds what the snapshot does, in the same region and at least as large. */
export function RestoreDialog({ snapshot, onClose }: RestoreDialogProps) {
  const form = useId()
  const keep = useKeepVolume()
  const sameKey = useSameKey()
  const offline = useOfflineReason()
  const { id, volume_name, region, created_at } = snapshot
  const [name, setName] = useState(`${volume_name.slice(0, maxVolumeName - 9)}-restored`)
  const [gb, setGb] = useState(snapshot.size_gb)
  const [problem, setProblem] = useState<string | null>(null)
  const quote = useQuote(volumeMonthMicro(gb), String(gb))
  const input = { id, name: name.trim(), size_gb: gb, quoted_total: quote.quotedTotal }
  const restore = useMutation({
    mutationFn: () => api.volumes.restore(input, sameKey(input)),
    onSuccess: volume => {
      keep(volume)
      toast.success(`Network volume created! ${formatMoney(input.quoted_total)} charged to your account.`)
      onClose()
    },
    onError: error => {
      toast.error('Failed to create volume')
      quote.take(error)
      if (error instanceof IngotError && error.fields?.['name']) setProblem(`Name ${error.fields['name']}`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!input.name) return setProblem('Please enter a volume name')
    if (!offline && !restore.isPending) restore.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!restore.isPending}
      width="l"
      title="Restore as new volume"
      description={`In ${region}, with what ${volume_name} held on ${formatExact(new Date(created_at))}.`}
      footer={
        <>
          <div className="mr-auto">
            <CopyCall call="volumes.restore" values={input} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={restore.isPending}
            disabledReason={offline}
          >
            Restore for {formatMoney(formatUsd(quote.price))}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label="Name" required error={problem}>
          <Input
            value={name}
            maxLength={maxVolumeName}
            autoComplete="off"
            spellCheck={false}
            onChange={event => {
              setName(event.target.value)
              setProblem(null)
            }}
          />
        </Field>
        <SizeChoice
          gb={gb}
          least={snapshot.size_gb}
          onGb={chosen => {
            setGb(chosen)
            restore.reset()
          }}
        />
        <p className="text-label font-normal text-muted">
          At least {formatSize(snapshot.size_gb)}, as large as the volume was then.
        </p>
        <PaidNow price={quote.price}>for the first month, then monthly. The snapshot stays as it is.</PaidNow>
        {restore.error ? (
          <FailedBand failed="Failed to create volume" error={restore.error} price={quote.price} />
        ) : (
          <Shortfall price={quote.price} />
        )}
      </form>
    </Dialog>
  )
}
