import { type BillingPeriod, billingPeriods, priceOf, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { coversStart, type Quote, quoteOf } from '@ingot/contracts/instance-costs'
import { cloneName, type Instance, maxInstanceName } from '@ingot/contracts/instances'
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { Money } from '../../ui/Money.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { toast } from '../../ui/toast.ts'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { gpusQuery } from '../catalog/queries.ts'
import { api } from '../shell/api.ts'
import { missingFor } from '../wallet/amount.ts'
import { walletQuery } from '../wallet/queries.ts'
import { useOfflineReason } from '../shell/online.ts'
import { fundsWord, useRunway, useWallet } from '../wallet/wallet.tsx'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { commandsFor } from './command-text.ts'
import { queuedText } from './queue-text.ts'
import { isFull, useKeepInstance } from './use-instance-actions.ts'
import { type Months, monthsOf, whyNoCopy } from './volume-copy.ts'

interface CloneInstanceDialogProps {
  readonly instance: Instance
  readonly onClose: () => void
}

/** Another deploy of the same configuration at today's price, which is shown first and sent along. */
export function CloneInstanceDialog({ instance, onClose }: CloneInstanceDialogProps) {
  const keep = useKeepInstance()
  const form = useId()
  const { addFunds } = useWallet()
  const offline = useOfflineReason()
  const wallet = useQuery(walletQuery)
  const [name, setName] = useState(cloneName(instance.name))
  const [start, setStart] = useState(false)
  const [period, setPeriod] = useState<BillingPeriod>('hourly')
  const [withVolume, setWithVolume] = useState(false)
  const [nameError, setNameError] = useState<string | null>(null)
  const gpus = useQuery(gpusQuery)
  const volumeId = instance.network_volume_id
  const volume = useQuery({
    queryKey: ['volumes', volumeId],
    queryFn: () => api.volumes.get({ id: volumeId! }),
    enabled: volumeId !== null,
  }).data
  const noCopy = volume ? whyNoCopy(volume) : null
  const copiesVolume = withVolume && volume !== undefined && noCopy === null
  const months = copiesVolume ? monthsOf(volume) : null
  const more = months ? months.snapshot + months.volume : 0n
  const client = useQueryClient()
  const gpu = gpus.data?.items.find(each => each.name === instance.gpu_type)
  const quote = gpu && quoteOf(priceOf(gpu, instance, period))
  const unpriced = gpus.data
    ? `${instance.gpu_type} is not on sale any more.`
    : gpus.isError
      ? 'The prices could not be loaded.'
      : 'The price is being loaded.'
  const runway = useRunway()
  const word = fundsWord(runway)
  const balance = wallet.data && runway.funds
  const reserve = wallet.data && start ? parseUsd(wallet.data.start_reserve) : 0n
  const isShort =
    balance !== undefined && quote && !coversStart(balance, reserve, parseUsd(quote.quoted_total) + more)

  /** Only what does not happen anyway. */
  const call = {
    id: instance.id,
    name: name.trim(),
    ...(period === 'hourly' ? {} : { billing_period: period }),
    ...(start ? { start } : {}),
    ...(copiesVolume ? { clone_volume: true } : {}),
  }
  const clone = useMutation({
    mutationFn: ({
      shown,
      queues,
    }: {
      readonly shown: Quote
      readonly queues: boolean
      readonly more: Micro
    }) =>
      api.instances.clone({
        ...call,
        ...shown,
        ...(queues ? { when_full: 'queue' as const } : {}),
        ...(copiesVolume ? { quoted_volume_total: formatUsd(more) } : {}),
      }),
    onSuccess: (copy, { shown, more }) => {
      const total = formatUsd(parseUsd(shown.quoted_total) + more)
      keep(copy)
      if (copy.queue) toast.info(queuedText(copy))
      else toast.success(`${copy.name} deployed. You've been charged ${formatMoney(total)}.`)
      onClose()
    },
    // Fetched afresh before the refusal is shown, so that the new price stands beside it.
    onError: async error => {
      if (!(error instanceof IngotError) || error.code !== 'price_changed') return
      await client.refetchQueries(gpusQuery)
      await client.refetchQueries({ queryKey: ['volumes', volumeId] })
    },
  })
  const refused = clone.error instanceof IngotError ? clone.error.code : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return setNameError('Please provide a valid instance name')
    if (quote) clone.mutate({ shown: quote, queues: isFull(clone.error), more })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!clone.isPending}
      title="Clone instance"
      description={`Deploys another ${instance.gpu_count}× ${instance.gpu_type} in ${instance.region} from ${instance.template_name}. Neither its disk nor any secret is copied${volumeId === null ? '' : ', its network volume if you want'}.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={clone.isPending}
            disabledReason={offline ?? (quote ? null : unpriced)}
          >
            {quote
              ? `${isFull(clone.error) ? 'Queue' : 'Clone'} for ${formatMoney(formatUsd(parseUsd(quote.quoted_total) + more))}`
              : 'Clone'}
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
        <RadioGroup
          legend="Billing period"
          layout="segments"
          options={billingPeriods.map(value => ({
            value,
            label: value === 'hourly' ? 'Hourly' : terms[value].label,
          }))}
          value={period}
          onValueChange={value => {
            setPeriod(value as BillingPeriod)
            clone.reset()
          }}
        />
        <Checkbox
          label="Start now"
          hint={
            copiesVolume
              ? 'Its volume is made first: start the clone when that is available.'
              : 'Without it the clone is made as stopped and costs nothing more.'
          }
          disabled={copiesVolume}
          checked={start}
          onCheckedChange={value => {
            setStart(value)
            clone.reset()
          }}
        />
        {volume && (
          <Checkbox
            label={`Copy its volume ${volume.name}`}
            hint={
              noCopy ??
              `A snapshot of it, and a new volume of ${volume.size_gb} GB made of that, which the clone has.`
            }
            disabled={noCopy !== null}
            checked={copiesVolume}
            onCheckedChange={value => {
              setWithVolume(value)
              if (value) setStart(false)
              clone.reset()
            }}
          />
        )}
        {quote ? (
          <PropertyList properties={pricesOf(period, quote, word, balance, months)} />
        ) : (
          <p className="text-muted">{unpriced}</p>
        )}
        {isShort && !clone.error && (
          <Band
            tone="warn"
            action={
              <Button
                onClick={() => addFunds(missingFor(parseUsd(quote.quoted_total) + more + reserve, balance))}
              >
                Add funds
              </Button>
            }
          >
            Your {word} does not cover it{reserve > 0n && ' and ten minutes of what runs'}.
          </Band>
        )}
        {clone.error && (
          <Band
            tone="danger"
            action={refused === 'insufficient_funds' && <Button onClick={() => addFunds()}>Add funds</Button>}
          >
            Failed to clone instance: {sentence(errorText(clone.error))}
            {isFull(clone.error) &&
              ' It can wait for its turn: the price is set aside, and charged when it starts.'}
            {refused === 'price_changed' && ' The new price stands here; clone again to accept it.'}
          </Band>
        )}
        <CommandBlock
          label="The same as a command"
          commands={commandsFor(location.origin, 'clone', {
            ...call,
            ...(isFull(clone.error) ? { when_full: 'queue' } : {}),
          })}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </form>
    </Dialog>
  )
}

function pricesOf(
  billing_period: BillingPeriod,
  { quoted_hourly_cost: hourly, quoted_total: total }: Quote,
  word: string,
  balance: Micro | undefined,
  months: Months | null,
): Property[] {
  return [
    {
      name: 'Charged now',
      value: (
        <>
          <Money value={total} />,{' '}
          {billing_period === 'hourly' ? 'the first hour' : `${terms[billing_period].label} upfront`}
        </>
      ),
    },
    ...(months
      ? [
          {
            name: 'For its volume, now',
            value: (
              <>
                <Money value={formatUsd(months.volume)} /> for its first month,{' '}
                <Money value={formatUsd(months.snapshot)} /> for that of the snapshot. Each renews until you
                delete it; what is not used returns.
              </>
            ),
          },
        ]
      : []),
    {
      name: billing_period === 'hourly' ? 'After that' : 'When the term ends',
      value: (
        <>
          <Money value={hourly} per="h" /> while running, $0.00/h while stopped
        </>
      ),
    },
    ...(balance === undefined ? [] : [{ name: `Your ${word}`, value: <Money value={formatUsd(balance)} /> }]),
  ]
}
