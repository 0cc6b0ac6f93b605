import type { Instance } from '@ingot/contracts/instances'
import type { Metrics, MetricsNow } from '@ingot/contracts/instance/watching'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatBytes } from '../../../ui/format.ts'
import { HeatStrip } from '../../../ui/HeatStrip.tsx'
import { LineChart } from '../../../ui/LineChart.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { type Stat, StatList } from '../../../ui/StatList.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import {
  cellsOf,
  chartsOf,
  chartWords,
  type Range,
  ranges,
  rangeWords,
  ticksOf,
  timeOf,
  unmeasuredText,
} from './charts.ts'
import { MetricsTable } from './MetricsTable.tsx'
import { metricsNowQuery, metricsQuery } from './queries.ts'

/** What it uses now, and what it used over a time that the reader chooses. */
export function MetricsTab({ instance }: { readonly instance: Instance }) {
  const [address, change] = useSearchState()
  const range = readOne(Object.keys(ranges) as Range[], address['range']) ?? 'hour'
  const metrics = useQuery(metricsQuery(instance.id, range))
  return (
    <div className="flex flex-col gap-6">
      {instance.status === 'running' && <Now id={instance.id} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-heading">Use over time</h2>
        <RadioGroup
          legend="Time"
          legendHidden
          layout="segments"
          options={(Object.keys(ranges) as Range[]).map(value => ({ value, label: rangeWords[value] }))}
          value={range}
          onValueChange={value => change({ range: value === 'hour' ? '' : value })}
        />
      </div>
      <QueryView
        query={metrics}
        failed="The figures could not be loaded"
        consequence="The instance itself is not affected."
        skeleton={<Skeleton className="h-chart" />}
      >
        {data => (
          <Charts
            metrics={data}
            range={range}
            command={
              <CopyCall call="instances.metrics" values={{ id: instance.id, from: data.from, to: data.to }} />
            }
          />
        )}
      </QueryView>
    </div>
  )
}

interface ChartsProps {
  readonly metrics: Metrics
  readonly range: Range
  readonly command: ReactNode
}

function Charts({ metrics, range, command }: ChartsProps) {
  const [at, read] = useState<number | null>(null)
  const [isTable, setIsTable] = useState(false)
  const charts = chartsOf(metrics)
  const span = rangeWords[range].toLowerCase()
  const ticks = ticksOf(metrics, range)
  const lacking = unmeasuredText(metrics.measures)
  const isEmpty = charts.every(({ lines }) =>
    lines.every(({ values }) => values.every(value => value === null)),
  )
  return (
    <div className="flex flex-col gap-6">
      {metrics.simulated && (
        <Band tone="info">Simulated figures: no machine stands behind them, and none counts as work.</Band>
      )}
      {metrics.cards.length > 0 && (
        <section aria-labelledby="gpu-load" className="flex flex-col gap-2">
          <h3 id="gpu-load" className="text-heading">
            GPU load, {span}
          </h3>
          <ul className="flex flex-col gap-2 rounded-panel border border-line bg-raised p-3">
            {metrics.cards.map(({ load }, card) => (
              // A card has its place.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={card} className="flex items-center gap-3">
                <span className="shrink-0 font-medium tabular-nums">GPU {card}</span>
                <HeatStrip label={`Load of GPU ${card}, ${span}`} values={cellsOf(load)} wide />
              </li>
            ))}
          </ul>
        </section>
      )}
      <p aria-live="polite" className="text-muted">
        {at !== null
          ? `${timeOf(metrics, at, range)}. ${charts
              .map(({ title, lines, format }) => {
                const value = lines[0]!.values[at] ?? null
                return `${title} ${value === null ? 'not measured' : format(value)}`
              })
              .join(', ')}.`
          : isEmpty
            ? 'Nothing was measured in this time: it is measured each half minute while it runs.'
            : 'Point at a chart, or use the arrow keys on it, to read one moment on all of them.'}
      </p>
      <div className="grid gap-x-8 gap-y-6 rounded-panel border border-line bg-raised p-4 lg:grid-cols-2">
        {charts.map(({ key, ...chart }) => (
          <LineChart
            key={key}
            {...chart}
            label={chartWords({ key, ...chart }, span)}
            ticks={ticks}
            at={at}
            onRead={read}
          />
        ))}
      </div>
      {lacking && <p className="text-muted">{lacking}</p>}
      <div className="flex flex-wrap gap-2">
        <Button variant="ghost" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Hide the table' : 'As a table'}
        </Button>
        {command}
      </div>
      {isTable && <MetricsTable metrics={metrics} charts={charts} range={range} />}
    </div>
  )
}

function Now({ id }: { readonly id: string }) {
  const { data } = useQuery(metricsNowQuery(id))
  const stats = data ? statsOf(data) : []
  if (stats.length === 0) return null
  return (
    <section aria-label="Use now" className="flex flex-col gap-2">
      <h2 className="text-heading">Now</h2>
      {data?.at === null ? (
        <p className="text-muted">The machine does not answer. It is asked again every five seconds.</p>
      ) : (
        <StatList label="Use now" stats={stats} />
      )}
    </section>
  )
}

function statsOf({ measures, limits, cards, ...now }: MetricsNow): Stat[] {
  const unknown = '–'
  const load = cards.length ? cards.reduce((sum, card) => sum + card.load, 0) / cards.length : null
  const of = (limit: number | null) => limit !== null && `of ${formatBytes(limit)}`
  return [
    ...(measures.cards
      ? [
          {
            label: 'GPU load',
            value: load === null ? unknown : `${Math.round(load * 100)}%`,
            hint: cards.length
              ? cards.map(card => `${Math.round(card.celsius)} °C, ${Math.round(card.watts)} W`).join('; ')
              : undefined,
          },
        ]
      : []),
    ...(measures.processor
      ? [
          {
            label: 'Processor',
            value: now.processor_cores === null ? unknown : now.processor_cores.toFixed(2),
            hint: limits.processor_cores !== null && `of ${limits.processor_cores} cores`,
          },
        ]
      : []),
    ...(measures.memory
      ? [
          {
            label: 'Memory',
            value: now.memory_bytes === null ? unknown : formatBytes(now.memory_bytes),
            hint: of(limits.memory_bytes),
          },
        ]
      : []),
    ...(measures.network
      ? [
          {
            label: 'Network in',
            value: now.received_rate === null ? unknown : `${formatBytes(now.received_rate)}/s`,
            hint: now.sent_rate !== null && `${formatBytes(now.sent_rate)}/s out`,
          },
        ]
      : []),
  ]
}
