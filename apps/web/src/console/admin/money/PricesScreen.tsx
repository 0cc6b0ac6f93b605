import { type PricedRow, priceWhens } from '@ingot/contracts/admin/business'
import { extraStoragePerGbMonth, includedStorageGb } from '@ingot/contracts/catalog'
import type { UnpricedCards } from '@ingot/contracts/catalog-calls'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { formatRate } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { toast } from '../../../ui/toast.ts'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { PriceDialog } from './PriceDialog.tsx'
import { pricesKey, unpricedQuery, usePrices } from './queries.ts'

export function PricesScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading
          lead={`By GPU, with the time from which each holds. What is deployed keeps its price. Storage beyond ${includedStorageGb} GB costs $${extraStoragePerGbMonth} per GB and month, which is no row.`}
        >
          Prices
        </PageHeading>
        <Unpriced />
        <Prices />
      </div>
    </AdminOnly>
  )
}

/** Cards that earn nothing yet: said first, with the way to sell them. */
function Unpriced() {
  const { data } = useQuery(unpricedQuery)
  const [cards, price] = useState<UnpricedCards | null>(null)
  return (
    <>
      {data?.map(each => (
        <Band key={each.model} tone="warn" action={<Button onClick={() => price(each)}>Set a price</Button>}>
          {each.cards}× {each.model}: {each.cards === 1 ? 'it has' : 'they have'} no price and{' '}
          {each.cards === 1 ? 'is' : 'are'} not sold.
        </Band>
      ))}
      {cards && <PriceDialog cards={cards} onClose={() => price(null)} />}
    </>
  )
}

const words = { past: 'Past', present: 'In force', future: 'To come' } as const
const tones = { past: 'neutral', present: 'ok', future: 'info' } as const

function Prices() {
  const [address, change] = useSearchState()
  const when = readOne(priceWhens, address['when'])
  const { list, rows } = usePrices(when)
  const [gpu, price] = useState<PricedRow | null>(null)
  const [taken, takeBack] = useState<PricedRow | null>(null)
  return (
    <section aria-label="Prices" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <FilterSelect
            label="Time"
            any="Any"
            options={priceWhens.map(value => ({ value, label: words[value] }))}
            value={when}
            onChange={value => change({ when: value })}
          />
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        query={list}
        failed="The prices could not be loaded"
        consequence="What is in force stays in force."
        skeleton={<SkeletonRows rows={8} columns={5} />}
        isEmpty={rows.length === 0}
        isFiltered={when !== undefined}
        noMatch={
          <NoMatch
            title="There is no such price."
            onClear={() => change({ when: '' })}
            clearLabel="Show all"
          />
        }
        empty={<EmptyState title="No GPU has a price.">Nothing can be deployed.</EmptyState>}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Prices"
          columns={columnsOf(price, takeBack)}
          rows={rows}
          rowKey={row => `${row.gpu_type} ${row.holds_from}`}
        />
      </ListFrame>
      {gpu && <PriceDialog gpu={gpu} onClose={() => price(null)} />}
      {taken && <CancelDialog price={taken} onClose={() => takeBack(null)} />}
    </section>
  )
}

function CancelDialog({ price, onClose }: { readonly price: PricedRow; readonly onClose: () => void }) {
  const client = useQueryClient()
  const { gpu_type, holds_from } = price
  const cancel = useMutation({
    mutationFn: (reason: string) => api.business.cancelPrice({ gpu_type, holds_from, reason }),
    onSuccess: () => {
      toast.success('Price taken back')
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: pricesKey }),
  })
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title="Take a price back"
      confirmLabel="Take back"
      danger
      busy={cancel.isPending}
      error={cancel.error && errorText(cancel.error)}
      onConfirm={reason => cancel.mutate(reason)}
    >
      {gpu_type} will not cost {formatRate(price.hourly)} an hour from {timeText(holds_from)} on: the price
      before it goes on.
    </ReasonDialog>
  )
}

const timeText = (at: string): string =>
  at.startsWith('1970') ? 'the beginning' : `${at.slice(0, 16).replace('T', ' ')} UTC`

const columnsOf = (
  price: (row: PricedRow) => void,
  takeBack: (row: PricedRow) => void,
): readonly Column<PricedRow>[] => [
  {
    id: 'gpu',
    header: 'GPU',
    phone: 'lead',
    cell: ({ gpu_type, is_on_sale }) => (
      <>
        {gpu_type} {!is_on_sale && <span className="text-muted">off sale</span>}
      </>
    ),
  },
  {
    id: 'when',
    header: 'State',
    phone: 'aside',
    cell: ({ when }) => <Badge tone={tones[when]}>{words[when]}</Badge>,
  },
  { id: 'hourly', header: 'An hour', numeric: true, cell: row => <Money value={row.hourly} rate /> },
  { id: 'months', header: '3 months', numeric: true, cell: row => <Money value={row.three_months} /> },
  { id: 'year', header: '1 year', numeric: true, cell: row => <Money value={row.year} /> },
  {
    id: 'from',
    header: 'Holds',
    className: 'tabular-nums',
    cell: ({ holds_from, holds_until }) =>
      `from ${timeText(holds_from)}${holds_until ? ` to ${timeText(holds_until)}` : ''}`,
  },
  {
    id: 'by',
    header: 'Set by',
    phone: 'hidden',
    className: 'min-w-0 truncate sm:max-w-0 sm:w-1/6',
    cell: ({ set_by, reason }) => <span title={reason ?? undefined}>{set_by ?? 'The product'}</span>,
  },
  {
    id: 'act',
    header: 'Change',
    className: 'sm:w-px',
    cell: row =>
      row.when === 'future' ? (
        <Button aria-label={`Take back the price of ${row.gpu_type}`} onClick={() => takeBack(row)}>
          Take back
        </Button>
      ) : row.when === 'present' ? (
        <Button aria-label={`Set price for ${row.gpu_type}`} onClick={() => price(row)}>
          Set price
        </Button>
      ) : null,
  },
]
