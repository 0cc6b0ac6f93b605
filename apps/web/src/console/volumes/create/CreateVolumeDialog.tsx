import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { volumeMonthMicro } from '@ingot/contracts/volume/prices'
import { defaultVolumeGb } from '@ingot/contracts/volume/prices'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Progress } from '../../../ui/Progress.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { PaidNow } from '../PaidNow.tsx'
import { useKeepVolume, volumeRegionsQuery } from '../queries.ts'
import { useQuote } from '../quote.ts'
import { useSameKey } from '../../shell/use-same-key.ts'
import { ChooseStep, type ChosenVolume, type FieldErrors } from './ChooseStep.tsx'
import { ConfirmStep } from './ConfirmStep.tsx'

export const noName = 'Please enter a volume name'

/** Two steps: what it is to be, then what it costs. The price on the button is sent along. */
export function CreateVolumeDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useId()
  const keep = useKeepVolume()
  const sameKey = useSameKey()
  const offline = useOfflineReason()
  const regions = useQuery(volumeRegionsQuery)
  const [step, setStep] = useState<1 | 2>(1)
  const [typed, setTyped] = useState<Omit<ChosenVolume, 'region'> & { readonly region?: string }>({
    name: '',
    size_gb: defaultVolumeGb,
  })
  const [errors, setErrors] = useState<FieldErrors>({})
  const region = typed.region ?? firstOf(regions.data ?? [])
  const quote = useQuote(volumeMonthMicro(typed.size_gb), `${typed.size_gb} ${region}`)
  const input = {
    name: typed.name.trim(),
    size_gb: typed.size_gb,
    region: region ?? '',
    quoted_total: quote.quotedTotal,
  }
  const create = useMutation({
    mutationFn: () => api.volumes.create(input, sameKey(input)),
    onSuccess: volume => {
      keep(volume)
      toast.success(`Network volume created! ${formatMoney(input.quoted_total)} charged to your account.`)
      onClose()
    },
    onError: error => {
      toast.error('Failed to create volume')
      quote.take(error)
      if (!(error instanceof IngotError) || error.code !== 'validation_failed') return
      setErrors(error.fields ?? {})
      setStep(1)
    },
  })

  const choose = (change: Partial<ChosenVolume>) => {
    setTyped(before => ({ ...before, ...change }))
    setErrors({})
    create.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!input.name) return setErrors({ name: noName })
    if (step === 1) setStep(2)
    else if (!create.isPending && !offline) create.mutate()
  }
  const unready = regions.data
    ? region === undefined && 'No region takes network volumes now.'
    : regions.isError
      ? 'The regions could not be loaded.'
      : 'The regions are being loaded.'
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!create.isPending}
      title={
        <span className="flex items-baseline justify-between gap-4">
          Create Network Volume
          <span className="text-label text-muted tabular-nums">Step {step} of 2</span>
        </span>
      }
      width="l"
      footer={
        <>
          <div className="mr-auto min-w-0 pr-4">
            <PaidNow price={quote.price}>for the first month, then monthly.</PaidNow>
          </div>
          {step === 1 ? (
            <Button shortcut="Esc" onClick={onClose}>
              Cancel
            </Button>
          ) : (
            <>
              <CopyCall call="volumes.create" values={input} />
              <Button
                onClick={() => setStep(1)}
                disabledReason={create.isPending ? 'It is being made' : null}
              >
                Back
              </Button>
            </>
          )}
          <Button
            type="submit"
            form={form}
            variant="primary"
            shortcut="↵"
            busy={create.isPending}
            disabledReason={step === 1 ? unready || null : offline}
          >
            {step === 1 ? 'Continue' : `Create for ${formatMoney(formatUsd(quote.price))}`}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Progress label={`Step ${step} of 2`} value={step} max={2} />
        {step === 1 ? (
          <ChooseStep
            chosen={{ ...typed, region }}
            regions={regions.data ?? []}
            errors={errors}
            onChoose={choose}
          />
        ) : (
          <ConfirmStep
            chosen={{ ...typed, name: input.name, region: input.region }}
            region={regions.data?.find(each => each.region === region)}
            price={quote.price}
            error={create.error}
          />
        )}
      </form>
    </Dialog>
  )
}

/** Where most instances could use it. */
const firstOf = (
  regions: readonly { readonly region: string; readonly available: boolean; readonly instances: number }[],
): string | undefined =>
  regions.filter(({ available }) => available).toSorted((a, b) => b.instances - a.instances)[0]?.region
