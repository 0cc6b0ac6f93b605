import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../ui/format.ts'
import { StatList } from '../../ui/StatList.tsx'
import { useNow } from '../../ui/use-now.ts'
import { logSummaryQuery } from './queries.ts'

/** Of everything, whatever the filters below leave. */
export function LogSummary() {
  const now = useNow(60_000)
  const { data } = useQuery(logSummaryQuery(-now.getTimezoneOffset()))
  const figure = (count: number | undefined) => (count === undefined ? '–' : formatCount(count))
  return (
    <StatList
      label="Events"
      stats={[
        { label: 'Total Events', value: figure(data?.total) },
        { label: "Today's Events", value: figure(data?.today) },
        { label: 'Instance Events', value: figure(data?.instance_events) },
        { label: 'Storage Events', value: figure(data?.storage_events) },
      ]}
    />
  )
}
