import { snapshotMonthMicro, snapshotPerGbMonth } from '@ingot/contracts/volume/prices'
import { formatUsd } from '@ingot/contracts/money'
import { maxVolumeName, type Volume } from '@ingot/contracts/volumes'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { FailedBand } from '../FailedBand.tsx'
import { PaidNow, Shortfall } from '../PaidNow.tsx'
import { volumeQuery } from '../queries.ts'
import { useQuote } from '../quote.ts'
import { useSameKey } from '../../shell/use-same-key.ts'
import { bytesKept, formatStored, whyNot } from '../volume-text.ts'
import { useRefreshSnapshots } from './queries.ts'

interface TakeSnapshotDialogProps {
  readonly volume: Volume
  readonly onClose: () => void
}

/** Keeps what the volume holds now; the price is that of the bytes it was last seen to use. */
export function TakeSnapshotDialog({ volume: given, onClose }: TakeSnapshotDialogProps) {
  const form = useId()
  const client = useQueryClient()
  const refresh = useRefreshSnapshots()
  const sameKey = useSameKey()
  const offline = useOfflineReason()
  const fresh = useQuery({ ...volumeQuery(given.id), refetchOnMount: 'always' })
  const volume = fresh.data ?? given
  const { id } = volume
  const [name, setName] = useState('')
  const bytes = bytesKept(volume)
  const quote = useQuote(snapshotMonthMicro(bytes), String(bytes))
  const input = { id, ...(name.trim() ? { name: name.trim() } : {}), quoted_total: quote.quotedTotal }
  const take = useMutation({
    mutationFn: () => api.volumes.takeSnapshot(input, sameKey(input)),
    onSuccess: snapshot => {
      toast.success(`The snapshot ${snapshot.name} is being taken.`)
      onClose()
    },
    onError: async error => {
      if (quote.take(error)) await client.refetchQueries(volumeQuery(id))
    },
    onSettled: refresh,
  })
  const refusal = whyNot('snapshot', volume)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!refusal && !offline && !take.isPending) take.mutate()
  }
  const month = formatMoney(formatUsd(quote.price))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!take.isPending}
      title={`Take a snapshot of ${volume.name}`}
      description="It keeps what the volume holds now, and lives on when the volume is deleted."
      footer={
        <>
          <div className="mr-auto">
            <CopyCall call="volumes.takeSnapshot" values={input} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={take.isPending}
            disabledReason={refusal ?? offline}
          >
            Take for {month}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label="Name" optional hint="Without one it is called by the time it is taken.">
          <Input
            value={name}
            maxLength={maxVolumeName}
            autoComplete="off"
            spellCheck={false}
            onChange={event => setName(event.target.value)}
          />
        </Field>
        <PaidNow price={quote.price}>for the first month, then monthly until you delete it.</PaidNow>
        <p className="text-muted">
          {formatMoney(snapshotPerGbMonth)} per GB and month, by the started tenth of a GB.{' '}
          {volume.used_bytes === null
            ? 'How much is used is not measured, so all of its size is paid first.'
            : `${formatStored(volume.used_bytes)} GB were used when it was last measured.`}{' '}
          What is stored in the end counts, never more than this; the difference returns.
        </p>
        {volume.quiesce === 'frozen' && volume.instance && (
          <p className="text-muted">
            What {volume.instance.name} writes waits meanwhile, so that the snapshot is of one moment.
          </p>
        )}
        {take.error ? (
          <FailedBand failed="Failed to take the snapshot" error={take.error} price={quote.price} />
        ) : (
          <Shortfall price={quote.price} />
        )}
      </form>
    </Dialog>
  )
}
