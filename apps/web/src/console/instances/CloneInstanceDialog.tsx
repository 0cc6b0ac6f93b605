import { deployTotalMicro, hourlyCostMicro, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { coversStart, quoteOf } from '@ingot/contracts/instance-costs'
import { cloneName, type Instance, maxInstanceName } from '@ingot/contracts/instances'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { useMutation, useQuery } from '@tanstack/react-query'
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
import { api } from '../shell/api.ts'
import { walletQuery } from '../wallet/queries.ts'
import { useOfflineReason } from '../shell/online.ts'
import { useWallet } from '../wallet/wallet.tsx'
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
  const quote = quoteOf({
    hourly: hourlyCostMicro(instance),
    total: deployTotalMicro(instance, instance.billing_period),
  })
  const { quoted_hourly_cost: hourly, quoted_total: total } = quote
  const balance = wallet.data && parseUsd(wallet.data.balance_usd)
  const reserve = wallet.data && start ? parseUsd(wallet.data.start_reserve) : 0n
  const isShort = balance !== undefined && !coversStart(balance, reserve, parseUsd(total))

  const clone = useMutation({
    mutationFn: () =>
      api.instances.clone({
        id: instance.id,
        name: name.trim(),
        start,
        ...quote,
      }),
    onSuccess: copy => {
      keep(copy)
      toast.success(`${copy.name} deployed. You've been charged ${formatMoney(total)}.`)
      onClose()
    },
  })
  const refused = clone.error instanceof IngotError ? clone.error.code : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return setNameError('Please provide a valid instance name')
    clone.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!clone.isPending}
      title="Clone instance"
      description={`Deploys another ${instance.gpu_count}× ${instance.gpu_type} in ${instance.region} from ${instance.template_name}. The disk is not copied.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={clone.isPending} disabledReason={offline}>
            Clone for {formatMoney(total)}
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
        <PropertyList properties={pricesOf(instance, hourly, total, wallet.data?.balance_usd)} />
        {isShort && !clone.error && (
          <Band
            tone="warn"
            action={
              <Button onClick={() => addFunds(formatUsd(parseUsd(total) + reserve - balance))}>
                Add funds
              </Button>
            }
          >
            Your balance does not cover it{reserve > 0n && ' and ten minutes of what runs'}.
          </Band>
        )}
        {clone.error && (
          <Band
            tone="danger"
            action={refused === 'insufficient_funds' && <Button onClick={() => addFunds()}>Add funds</Button>}
          >
            Failed to clone instance: {sentence(errorText(clone.error))}
            {refused === 'price_changed' && ' Reload the page to see the new price.'}
          </Band>
        )}
      </form>
    </Dialog>
  )
}

function pricesOf(
  instance: Instance,
  hourly: string,
  total: string,
  balance: string | undefined,
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
    ...(balance === undefined ? [] : [{ name: 'Your balance', value: <Money value={balance} /> }]),
  ]
}
