import type { Receipt as ReceiptOf } from '@ingot/contracts/billing'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { buttonClass } from '../../ui/button-class.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { formatExact, formatGb, formatMoney, formatRate } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Money } from '../../ui/Money.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { Tape } from '../../ui/Tape.tsx'
import { useSearchState } from '../list/search-state.ts'
import { api } from '../shell/api.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { kindWords } from './billing-search.ts'

/**
 * The receipt that the address names: what was measured, how it adds up, where it went. Docked it stands beside the list,
 * which keeps the focus.
 */
export function Receipt({ isDocked = false }: { readonly isDocked?: boolean }) {
  const [{ receipt: id }, change] = useSearchState()
  const close = () => change({ receipt: '' })
  useEffect(() => {
    if (!isDocked) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) change({ receipt: '' })
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isDocked, change])
  if (isDocked && id !== undefined)
    return (
      <aside
        aria-labelledby="receipt"
        className="sticky top-4 rounded-panel border border-line bg-raised px-4 pb-4"
      >
        <div className="flex h-bar items-center justify-between gap-4">
          <h3 id="receipt" className="text-heading">
            Receipt
          </h3>
          <IconButton label="Close" tooltip={false} onClick={close}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
        <Loaded id={id} />
      </aside>
    )
  return (
    <Drawer open={id !== undefined} onOpenChange={isOpen => !isOpen && close()} title="Receipt">
      {id !== undefined && <Loaded id={id} />}
    </Drawer>
  )
}

function Loaded({ id }: { readonly id: string }) {
  const receipt = useQuery({
    queryKey: ['billing', 'receipt', id],
    queryFn: ({ signal }) => api.billing.receipt({ id }, { signal }),
    // The one before stays while the next is on its way.
    placeholderData: keepPreviousData,
  })
  return (
    <QueryView
      query={receipt}
      failed="The receipt could not be loaded"
      consequence="Your balance and your instances are not affected."
      skeleton={<SkeletonRows rows={8} columns={2} />}
    >
      {data => <Parts receipt={data} />}
    </QueryView>
  )
}

function Parts({ receipt }: { readonly receipt: ReceiptOf }) {
  const { entry, usage, instance, storage, month, deposit, number } = receipt
  const name = instance?.name ?? storage?.name
  return (
    <div className="flex flex-col gap-4">
      <div>
        {name !== undefined && <Tape>{name}</Tape>}
        <p className="pt-1 text-muted">
          {instance
            ? `${instance.gpu_count}× ${instance.gpu_type}, ${instance.region}`
            : storage
              ? storageText(storage)
              : entry.description}
        </p>
        <p className="pt-3 text-stat">
          <Money value={entry.amount} />
        </p>
        <p className="text-label font-normal text-muted tabular-nums">
          exactly {formatMoney(entry.amount, { decimals: 6 })},{' '}
          {formatExact(new Date(entry.created_at), 'UTC')}
        </p>
      </div>
      {usage && <Measured usage={usage} />}
      {storage && (
        <Part title="What it is for">
          <Line name={entry.kind === 'month' ? 'Paid in advance' : kindWords[entry.kind]}>
            {entry.description.startsWith(`${storage.name}: `)
              ? entry.description.slice(storage.name.length + 2)
              : entry.description}
          </Line>
          {month && (
            <>
              <Line name="From">{formatExact(new Date(month.from), 'UTC')}</Line>
              <Line name="To">{formatExact(new Date(month.to), 'UTC')}</Line>
              <Line name="A month">720 hours</Line>
            </>
          )}
        </Part>
      )}
      {deposit && (
        <Part title="Where it came from">
          <Line name="Chain">{deposit.chain}</Line>
          <Line name="Block">{deposit.block_number}</Line>
          <Line name="Transaction">
            <span className="font-mono text-code break-all">{deposit.txid}</span>
          </Line>
        </Part>
      )}
      <Part title="Where it went">
        {receipt.balance_before !== null && receipt.balance_after !== null ? (
          <>
            <Line name="Balance before">{formatMoney(receipt.balance_before, { decimals: 6 })}</Line>
            <Line name="Balance after">{formatMoney(receipt.balance_after, { decimals: 6 })}</Line>
            <Line name="Ledger entry">{number}</Line>
          </>
        ) : (
          <p className="text-muted">Nothing has moved yet.</p>
        )}
      </Part>
      <div className="flex flex-wrap items-center gap-2">
        {instance && instance.status !== 'terminated' && (
          <Link
            to="/console/instances"
            search={{ dialog: 'details', instance: instance.id }}
            className={buttonClass()}
          >
            Open instance
          </Link>
        )}
        {storage && storage.size_gb !== null && (storage.kind === 'volume' || storage.volume_id) && (
          <Link
            to="/console/network-volumes/$id"
            params={{ id: storage.volume_id ?? storage.id }}
            className={buttonClass()}
          >
            Open volume
          </Link>
        )}
        <span className="inline-flex items-center gap-1 text-muted">
          As JSON <CopyButton text={JSON.stringify(receipt, null, 2)} what="Receipt" />
        </span>
      </div>
    </div>
  )
}

/** `Network volume, 50 GB, US-East`. */
const storageText = ({ kind, size_gb, region }: NonNullable<ReceiptOf['storage']>): string =>
  [
    kind === 'volume' ? 'Network volume' : 'Snapshot',
    size_gb === null ? 'deleted' : kind === 'volume' && formatGb(size_gb),
    region,
  ]
    .filter(Boolean)
    .join(', ')

function Measured({ usage }: { readonly usage: NonNullable<ReceiptOf['usage']> }) {
  const seconds = secondsOf(usage.ms)
  return (
    <>
      <Part title="What was measured">
        <Line name={usage.is_return ? 'Not running after all' : 'Running'}>{seconds} s</Line>
        <Line name="From">{formatExact(new Date(usage.from), 'UTC')}</Line>
        <Line name="To">{formatExact(new Date(usage.to), 'UTC')}</Line>
        <Line name="Starting, stopping, stopped">free</Line>
      </Part>
      <Part title="How it adds up">
        <Line name="Per hour">{formatRate(usage.price_per_hour)}</Line>
        <Line name="Time">× {seconds} s ÷ 3,600</Line>
        {usage.is_return ? (
          <Line name="Returned">{formatMoney(usage.amount, { decimals: 6 })}</Line>
        ) : (
          <>
            <Line name="Carried from before">{millionths(usage.carried_in)}</Line>
            <Line name="Carried to the next">{millionths(usage.carried_out)}</Line>
            <Line name="Used">{formatMoney(usage.amount, { decimals: 6 })}</Line>
            <Line name="Of it prepaid">{formatMoney(usage.prepaid, { decimals: 6 })}</Line>
            <Line name="From the wallet">{formatMoney(usage.wallet, { decimals: 6 })}</Line>
          </>
        )}
        {Number(usage.credit) > 0 && (
          <Line name="Of all that credit">{formatMoney(usage.credit, { decimals: 6 })}</Line>
        )}
      </Part>
    </>
  )
}

const seconds = new Intl.NumberFormat('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 })
const secondsOf = (ms: number): string => seconds.format(ms / 1000)

/** What is left below a millionth of a dollar. */
const millionths = (parts: number): string =>
  parts === 0 ? '0' : `${(parts / 3_600_000).toFixed(3)} of $0.000001`

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="border-t border-dashed border-line-strong pt-3">
      <h3 className="pb-2 font-semi">{title}</h3>
      <dl className="flex flex-col gap-1">{children}</dl>
    </section>
  )
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 text-right tabular-nums">{children}</dd>
    </div>
  )
}
