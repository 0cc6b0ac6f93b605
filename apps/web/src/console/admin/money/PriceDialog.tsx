import type { Concerned, PricePreview } from '@ingot/contracts/admin/business'
import type { UnpricedCards } from '@ingot/contracts/catalog-calls'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { formatMoney, formatRate } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { Money } from '../../../ui/Money.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Textarea } from '../../../ui/Textarea.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useSameKey } from '../../shell/use-same-key.ts'

export interface PriceStart {
  readonly gpu_type: string
  readonly hourly: string
  readonly three_months: string
  readonly year: string
}

interface PriceDialogProps {
  /** Another price of this GPU, beginning with its present one. */
  readonly gpu?: PriceStart
  /** Or cards that were seen and are not sold. */
  readonly cards?: UnpricedCards
  readonly onClose: () => void
}

const isAmount = (text: string): boolean => /^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0
const plain = (usd: string): string => usd.replace(/\.?0+$/, '')
/** `NVIDIA GeForce RTX 4090` → `RTX 4090`: as the catalogue names cards. */
const nameOf = (model: string): string =>
  model
    .replace(/^(NVIDIA|Tesla) /, '')
    .replace(/^GeForce /, '')
    .slice(0, 40)
    .trim()

/** One form for a new price: what it changes for whom is shown before it is set. */
export function PriceDialog({ gpu, cards, onClose }: PriceDialogProps) {
  const form = useId()
  const client = useQueryClient()
  const keyFor = useSameKey()
  const [text, setText] = useState({
    hourly: gpu ? plain(gpu.hourly) : '',
    three_months: gpu ? plain(gpu.three_months) : '',
    year: gpu ? plain(gpu.year) : '',
    name: cards ? nameOf(cards.model) : '',
    vcpus: '8',
    ram_gb: '64',
    at: '',
    reason: '',
  })
  const type = (field: keyof typeof text) => (event: { readonly target: { readonly value: string } }) =>
    setText(before => ({ ...before, [field]: event.target.value }))
  const { hourly, three_months, year } = text
  const amounts = { hourly, three_months, year }
  // The field holds a time of UTC.
  const holdsFrom = text.at ? new Date(`${text.at}Z`).toISOString() : undefined
  const isComplete = [hourly, three_months, year].every(isAmount)
  const wish = gpu ? { gpu_type: gpu.gpu_type, ...amounts, holds_from: holdsFrom } : null
  const preview = useQuery({
    queryKey: ['business', 'preview', wish],
    queryFn: ({ signal }) => api.business.previewPrice({ ...wish!, limit: 20 }, { signal }),
    enabled: wish !== null && isComplete,
    retry: false,
  })
  const set = useMutation({
    mutationFn: () => {
      const reason = text.reason.trim()
      if (cards) {
        const input = {
          ...amounts,
          model: cards.model,
          name: text.name.trim(),
          vcpus: Number(text.vcpus),
          ram_gb: Number(text.ram_gb),
          reason,
        }
        return api.business.sellCards(input, keyFor(input))
      }
      const input = { ...wish!, reason }
      return api.business.setPrice(input, keyFor(input))
    },
    onSuccess: price => {
      toast.success(
        price.when === 'future'
          ? `${price.gpu_type} costs ${formatRate(price.hourly)} an hour from then on`
          : `${price.gpu_type} costs ${formatRate(price.hourly)} an hour now`,
      )
      void client.invalidateQueries({ queryKey: ['business'] })
      void client.invalidateQueries({ queryKey: ['catalog'] })
      onClose()
    },
  })
  const fields = fieldsOf(set.error) ?? fieldsOf(preview.error) ?? {}
  const missing = !isComplete ? 'Enter all three prices' : !text.reason.trim() ? 'Say why first' : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!missing && !set.isPending) set.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      dismissible={!set.isPending}
      title={`Set price for ${gpu?.gpu_type ?? cards?.model}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={set.isPending}
            busyLabel="Setting..."
            disabledReason={missing}
          >
            Set price
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        {cards && (
          <div className="grid gap-4 sm:grid-cols-3">
            <Field label="Name" hint="As customers read it" error={fields['name']} required>
              <Input value={text.name} maxLength={40} onChange={type('name')} />
            </Field>
            <Field label="vCPUs of one" error={fields['vcpus']} required>
              <Input type="number" min={1} max={1024} value={text.vcpus} onChange={type('vcpus')} />
            </Field>
            <Field label="RAM of one, GB" error={fields['ram_gb']} required>
              <Input type="number" min={1} max={16384} value={text.ram_gb} onChange={type('ram_gb')} />
            </Field>
          </div>
        )}
        <div className="grid gap-4 sm:grid-cols-3">
          <Field label="An hour, USD" error={fields['hourly']} required>
            <Input value={hourly} inputMode="decimal" maxLength={13} onChange={type('hourly')} />
          </Field>
          <Field label="3 months, USD" error={fields['three_months']} required>
            <Input value={three_months} inputMode="decimal" maxLength={13} onChange={type('three_months')} />
          </Field>
          <Field label="1 year, USD" error={fields['year']} required>
            <Input value={year} inputMode="decimal" maxLength={13} onChange={type('year')} />
          </Field>
        </div>
        {gpu && (
          <Field label="From (UTC)" optional hint="Empty: from now on" error={fields['holds_from']}>
            <Input type="datetime-local" value={text.at} onChange={type('at')} />
          </Field>
        )}
        <Field label="Reason" hint="It stands in the audit log." required>
          <Textarea value={text.reason} rows={2} maxLength={250} onChange={type('reason')} />
        </Field>
        {gpu && preview.data && <Preview preview={preview.data} isNow={holdsFrom === undefined} />}
        {cards && (
          <p className="text-muted">
            {cards.cards === 1 ? 'The card is' : `The ${cards.cards} cards are`} on sale about half a minute
            later.
          </p>
        )}
        {set.error && !fieldsOf(set.error) && <Band tone="danger">{errorText(set.error)}</Band>}
      </form>
    </Dialog>
  )
}

const fieldsOf = (error: unknown): Record<string, string> | undefined =>
  error instanceof IngotError ? error.fields : undefined

interface PreviewProps {
  readonly preview: PricePreview
  readonly isNow: boolean
}

function Preview({
  preview: { before, after, kept, items, holds_until, replaces, next_cursor },
  isNow,
}: PreviewProps) {
  return (
    <section
      aria-label="What changes"
      className="flex flex-col gap-3 rounded-panel border border-line bg-sunken p-3"
    >
      <h3 className="font-semi">What changes</h3>
      <p>
        {before
          ? `A new deploy or clone of one card costs ${formatRate(after.hourly)} an hour ${isNow ? 'from now on' : 'from then on'}, instead of ${formatRate(before.hourly)}; 3 months ${formatMoney(after.three_months)} instead of ${formatMoney(before.three_months)}, a year ${formatMoney(after.year)} instead of ${formatMoney(before.year)}.`
          : `A deploy of one card costs ${formatRate(after.hourly)} an hour.`}
        {holds_until && ` Another price follows at ${holds_until.slice(0, 16).replace('T', ' ')} UTC.`}
        {replaces && ' The price that was set for this very time is replaced.'}
      </p>
      <p>
        {kept.instances === 0
          ? 'Nobody has instances with this GPU.'
          : `Nobody who has one pays anything else: ${kept.instances} ${kept.instances === 1 ? 'instance' : 'instances'} of ${kept.customers} ${kept.customers === 1 ? 'customer keeps' : 'customers keep'} the agreed price, also when stopped and started and beyond the end of a term${kept.on_terms ? ` (${kept.on_terms} on terms)` : ''}${kept.waiting ? `; ${kept.waiting} waiting for a place too` : ''}.`}
      </p>
      {items.length > 0 && (
        <Table
          label="Customers concerned"
          compact
          columns={columns}
          rows={items}
          rowKey={({ user_id }) => user_id}
        />
      )}
      {next_cursor && (
        <p className="text-label font-normal text-muted">Those with most cards; there are more.</p>
      )}
    </section>
  )
}

const columns: readonly Column<Concerned>[] = [
  {
    id: 'who',
    header: 'Customer',
    phone: 'lead',
    className: 'min-w-0 truncate sm:max-w-0 sm:w-1/3',
    cell: ({ email, user_id }) => email ?? user_id.slice(0, 8),
  },
  { id: 'gpus', header: 'GPUs', numeric: true, cell: ({ gpus }) => gpus },
  {
    id: 'now',
    header: 'Pays now',
    numeric: true,
    phone: 'aside',
    cell: row => <Money value={row.agreed_per_hour} per="h" />,
  },
  {
    id: 'then',
    header: 'Pays then',
    numeric: true,
    phone: 'hidden',
    cell: row => <Money value={row.agreed_per_hour} per="h" />,
  },
  {
    id: 'anew',
    header: 'Deployed anew',
    numeric: true,
    cell: row => <Money value={row.anew_then_per_hour} per="h" />,
  },
]
