import { priceOf, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { coversStart, type Quote, quoteOf } from '@ingot/contracts/instance-costs'
import { cloneName, type Instance, maxInstanceName } from '@ingot/contracts/instances'
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { Money } from '../../ui/Money.tsx'
import { toast } from '../../ui/toast.ts'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { gpusQuery } from '../catalog/queries.ts'
import { api } from '../shell/api.ts'
import { walletQuery } from '../wallet/queries.ts'
import { useOfflineReason } from '../shell/online.ts'
import { fundsWord, useRunway, useWallet } from '../wallet/wallet.tsx'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { useKeepInstance } from './use-instance-actions.ts'

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
  const [start, setStart] = useState(true)
  const [nameError, setNameError] = useState<string | null>(null)
  const gpus = useQuery(gpusQuery)
  const client = useQueryClient()
  const gpu = gpus.data?.items.find(each => each.name === instance.gpu_type)
  const quote = gpu && quoteOf(priceOf(gpu, instance, instance.billing_period))
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
    balance !== undefined && quote && !coversStart(balance, reserve, parseUsd(quote.quoted_total))

  const clone = useMutation({
    mutationFn: (shown: Quote) =>
      api.instances.clone({
        id: instance.id,
        name: name.trim(),
        start,
        ...shown,
      }),
    onSuccess: (copy, { quoted_total: total }) => {
      keep(copy)
      toast.success(`${copy.name} deployed. You've been charged ${formatMoney(total)}.`)
      onClose()
    },
    // Fetched afresh before the refusal is shown, so that the new price stands beside it.
    onError: error =>
      error instanceof IngotError && error.code === 'price_changed'
        ? client.refetchQueries(gpusQuery)
        : undefined,
  })
  const refused = clone.error instanceof IngotError ? clone.error.code : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return setNameError('Please provide a valid instance name')
    if (quote) clone.mutate(quote)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!clone.isPending}
      title="Clone instance"
      description={`Deploys another ${instance.gpu_count}× ${instance.gpu_type} in ${instance.region} from ${instance.template_name}. The disk and secrets are not copied.`}
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
            {quote ? `Clone for ${formatMoney(quote.quoted_total)}` : 'Clone'}
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
        <Checkbox
          label="Start now"
          hint="Without it the clone waits as stopped and costs nothing more."
          checked={start}
          onCheckedChange={setStart}
        />
        {quote ? (
          <PropertyList properties={pricesOf(instance, quote, word, balance)} />
        ) : (
          <p className="text-muted">{unpriced}</p>
        )}
        {isShort && !clone.error && (
          <Band
            tone="warn"
            action={
              <Button onClick={() => addFunds(formatUsd(parseUsd(quote.quoted_total) + reserve - balance))}>
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
            {refused === 'price_changed' && ' The new price stands here; clone again to accept it.'}
          </Band>
        )}
      </form>
    </Dialog>
  )
}

function pricesOf(
  instance: Instance,
  { quoted_hourly_cost: hourly, quoted_total: total }: Quote,
  word: string,
  balance: Micro | undefined,
): Property[] {
  const { billing_period } = instance
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
