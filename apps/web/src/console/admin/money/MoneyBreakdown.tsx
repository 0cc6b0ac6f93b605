import { moneyDimensions, type MoneyPart, moneySorts } from '@ingot/contracts/admin/business'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { formatCount, formatMoney } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { type DaySpan, moneySumQuery, useMoneyBy } from './queries.ts'

const words = { card: 'Card', region: 'Region', customer: 'Customer' } as const
const none = { card: 'Storage and what has no card', region: 'No region', customer: 'Nobody' } as const

/** Whose and of what the revenue is, the largest first, each with its share as a bar. */
export function MoneyBreakdown({ span }: { readonly span: DaySpan }) {
  const [address, change] = useSearchState()
  const dimension = readOne(moneyDimensions, address['by']) ?? 'card'
  const sort = readOne(moneySorts, address['sort']) ?? 'revenue'
  const { list, rows } = useMoneyBy(span, dimension, sort)
  const { data: first } = useQuery(moneySumQuery(span, dimension))
  const most = Math.max(...rows.map(row => valueOf(row, sort)), 0)
  return (
    <section aria-labelledby="breakdown" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="breakdown" className="mr-auto text-heading">
          Revenue and use by {words[dimension].toLowerCase()}
        </h2>
        <RadioGroup
          legend="By"
          legendHidden
          layout="segments"
          options={moneyDimensions.map(value => ({ value, label: words[value] }))}
          value={dimension}
          onValueChange={value => change({ by: value === 'card' ? '' : value })}
        />
      </div>
      <ListFrame
        filters={
          <FilterSelect
            label="Sort"
            any="Revenue"
            options={[{ value: 'gpu_hours' as const, label: 'GPU hours' }]}
            value={sort === 'revenue' ? undefined : sort}
            onChange={value => change({ sort: value })}
          />
        }
        count={
          first
            ? `${orMore(rows.length, list)} shown, ${formatMoney(first.revenue)} and ${formatCount(Math.round(first.gpu_hours))} GPU hours in all`
            : ''
        }
        action={
          <ExportButton
            isEmpty={rows.length === 0}
            fetch={() => api.business.export({ ...span, what: dimension })}
          >
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="The breakdown could not be loaded"
        skeleton={<SkeletonRows rows={5} columns={4} />}
        isEmpty={rows.length === 0}
        empty={
          <EmptyState title="Nothing was earned in these days.">What runs is booked by the hour.</EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label={`By ${words[dimension].toLowerCase()}`}
          columns={columnsOf(dimension, sort, most)}
          rows={rows}
          rowKey={({ key }) => key || 'none'}
        />
      </ListFrame>
      {dimension === 'customer' && first && (
        <p className="text-label font-normal text-muted">
          Of customers whole months are kept: from {first.from} to {first.to}.
        </p>
      )}
    </section>
  )
}

type Sort = (typeof moneySorts)[number]
const valueOf = (row: MoneyPart, sort: Sort): number =>
  sort === 'revenue' ? Number(row.revenue) : row.gpu_hours

function columnsOf(
  dimension: (typeof moneyDimensions)[number],
  sort: Sort,
  most: number,
): readonly Column<MoneyPart>[] {
  return [
    {
      id: 'label',
      header: words[dimension],
      phone: 'lead',
      className: 'min-w-0 truncate sm:max-w-0 sm:w-1/3',
      cell: ({ label }) => label || none[dimension],
    },
    {
      id: 'bar',
      header: 'Share',
      phone: 'hidden',
      className: 'sm:w-1/3',
      cell: row => (
        <span
          aria-hidden
          style={{ width: `${most > 0 ? Math.max(0, (valueOf(row, sort) / most) * 100) : 0}%` }}
          className="block h-3 bg-chart-1 forced-color-adjust-none"
        />
      ),
    },
    {
      id: 'revenue',
      header: 'Revenue',
      numeric: true,
      phone: 'aside',
      cell: row => <Money value={row.revenue} />,
    },
    {
      id: 'hours',
      header: 'GPU hours',
      numeric: true,
      cell: ({ gpu_hours }) => (gpu_hours ? gpu_hours.toFixed(gpu_hours < 100 ? 2 : 0) : '–'),
    },
    {
      id: 'used',
      header: 'Used',
      numeric: true,
      phone: 'hidden',
      cell: ({ used_seconds }) =>
        used_seconds === null ? '–' : `${formatCount(Math.round(used_seconds / 3600))} h`,
    },
  ]
}
