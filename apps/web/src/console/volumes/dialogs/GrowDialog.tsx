import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { maxVolumeGb, typedVolumeGb, volumeMonthMicro, volumePresetsGb } from '@ingot/contracts/volume/prices'
import type { Volume } from '@ingot/contracts/volumes'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { useSettled } from '../../list/use-settled.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { FailedBand } from '../FailedBand.tsx'
import { PaidNow, Shortfall } from '../PaidNow.tsx'
import { growthQuery, useKeepVolume } from '../queries.ts'
import { useQuote } from '../quote.ts'
import { SizeChoice } from '../SizeChoice.tsx'
import { useSameKey } from '../../shell/use-same-key.ts'
import { formatSize, whyNot } from '../volume-text.ts'

interface GrowDialogProps {
  readonly volume: Volume
  readonly onClose: () => void
}

/** Larger, never smaller. The service says what the rest of the month costs; that is shown and sent along. */
export function GrowDialog({ volume, onClose }: GrowDialogProps) {
  const form = useId()
  const client = useQueryClient()
  const keep = useKeepVolume()
  const sameKey = useSameKey()
  const offline = useOfflineReason()
  const { id, name, size_gb, renews_at } = volume
  const [gb, setGb] = useState(nextOf(size_gb))
  /** What is typed is asked about when the typing pauses. */
  const asked = Number(useSettled(String(gb)))
  const growth = useQuery({ ...growthQuery(id, asked), placeholderData: keepPreviousData, staleTime: 0 })
  const isKnown = growth.data !== undefined && asked === gb && !growth.isPlaceholderData
  const quote = useQuote(growth.data ? parseUsd(growth.data.total) : 0n, `${asked} ${growth.data?.total}`)
  const input = { id, size_gb: gb, quoted_total: quote.quotedTotal }
  const grow = useMutation({
    mutationFn: () => api.volumes.grow(input, sameKey(input)),
    onSuccess: grown => {
      keep(grown)
      toast.success(`${name} is being made ${formatSize(grown.size_gb)} large.`)
      onClose()
    },
    onError: error => {
      // An hour has begun meanwhile: the rest of the month costs less.
      if (quote.take(error)) void client.invalidateQueries({ queryKey: ['volumes', 'growth', id] })
    },
  })
  const refusal =
    whyNot('grow', volume) ??
    offline ??
    (growth.error ? errorText(growth.error) : isKnown ? null : 'The price is being loaded.')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (refusal === null && !grow.isPending) grow.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!grow.isPending}
      width="l"
      title={`Make ${name} larger`}
      description={`It has ${formatSize(size_gb)}. A volume never shrinks.`}
      footer={
        <>
          <div className="mr-auto">
            <CopyCall call="volumes.grow" values={input} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={grow.isPending} disabledReason={refusal}>
            {isKnown ? `Grow for ${formatMoney(formatUsd(quote.price))}` : 'Grow'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <SizeChoice
          gb={gb}
          least={size_gb + 1}
          onGb={chosen => {
            setGb(chosen)
            grow.reset()
          }}
        />
        {growth.data && (
          <PaidNow price={quote.price}>
            for what is left of the month, then {formatMoney(formatUsd(volumeMonthMicro(gb)))} each month
            {renews_at ? ` instead of ${formatMoney(volume.monthly_cost)}` : ''}.
          </PaidNow>
        )}
        {grow.error ? (
          <FailedBand failed="Failed to make the volume larger" error={grow.error} price={quote.price} />
        ) : (
          growth.data && <Shortfall price={quote.price} />
        )}
      </form>
    </Dialog>
  )
}

/** The next size that is offered, else the double. */
const nextOf = (gb: number): number =>
  volumePresetsGb.find(preset => preset > gb) ?? Math.min(maxVolumeGb, typedVolumeGb(String(gb * 2)))
