import type { TicketLink } from '@ingot/contracts/support'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatMoney } from '../../ui/format.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { api } from '../shell/api.ts'
import { QueryView } from '../shell/QueryView.tsx'

type Kind = TicketLink['kind']
const kinds = [
  { value: 'instance', label: 'Instance' },
  { value: 'payment', label: 'Payment' },
  { value: 'invoice', label: 'Invoice' },
] as const satisfies readonly { readonly value: Kind; readonly label: string }[]

const most = 50
const none: Readonly<Record<Kind, string>> = {
  instance: 'You have no instances.',
  payment: 'There are no payments.',
  invoice: 'There are no invoices.',
}

const readers: Readonly<Record<Kind, () => Promise<readonly TicketLink[]>>> = {
  instance: async () =>
    (await api.instances.list({ limit: most })).items.map(
      ({ id, name, gpu_count, gpu_type, region, status }) => ({
        kind: 'instance',
        id,
        title: name,
        detail: `${gpu_count} × ${gpu_type}, ${region}, ${status}`,
      }),
    ),
  payment: async () =>
    (await api.wallet.deposits({ limit: most })).items.map(({ id, amount_usdt, status, created_at }) => ({
      kind: 'payment',
      id,
      title: `Deposit of ${formatMoney(amount_usdt)}`,
      detail: `${status}, ${created_at.slice(0, 10)}`,
    })),
  invoice: async () =>
    (await api.invoices.list({ limit: most })).items.map(({ id, number, month, total }) => ({
      kind: 'invoice',
      id,
      title: `Invoice ${number}`,
      detail: `${month}, ${formatMoney(total)}`,
    })),
}

interface LinkDialogProps {
  readonly onPick: (link: TicketLink) => void
  readonly onClose: () => void
}

/** Picks what a message is about. It goes along as it stands now. */
export function LinkDialog({ onPick, onClose }: LinkDialogProps) {
  const [kind, setKind] = useState<Kind>('instance')
  const query = useQuery({ queryKey: [`${kind}s-to-link`], queryFn: readers[kind], staleTime: 0 })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="What is it about?"
      description="It goes along as it is now: what becomes of it later does not change the message."
    >
      <div className="flex flex-col gap-4">
        <RadioGroup
          legend="Kind"
          layout="segments"
          options={kinds}
          value={kind}
          onValueChange={value => setKind(value as Kind)}
        />
        <QueryView
          query={query}
          failed="The list could not be loaded"
          skeleton={<SkeletonRows rows={3} columns={2} />}
        >
          {items =>
            items.length === 0 ? (
              <p className="text-muted">{none[kind]}</p>
            ) : (
              <ul className="max-h-chart-tall overflow-y-auto rounded-panel border border-line">
                {items.map(link => (
                  <li key={link.id} className="border-b border-line last:border-b-0">
                    <button
                      type="button"
                      onClick={() => onPick(link)}
                      className="flex w-full flex-col px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
                    >
                      <span className="truncate font-semi">{link.title}</span>
                      <span className="truncate text-label font-normal text-muted">{link.detail}</span>
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
      </div>
    </Dialog>
  )
}
