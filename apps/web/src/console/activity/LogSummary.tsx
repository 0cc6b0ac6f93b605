import type { UsageLog } from '@ingot/contracts/activity'
import { StatList } from '../../ui/StatList.tsx'
import { useNow } from '../../ui/use-now.ts'
import { countKind, countToday } from './log-words.ts'

interface LogSummaryProps {
  readonly logs: readonly UsageLog[] | undefined
  /** Older ones are not loaded, and so not counted. */
  readonly hasMore: boolean
}

export function LogSummary({ logs, hasMore }: LogSummaryProps) {
  const now = useNow(10_000)
  const figure = (count: (logs: readonly UsageLog[]) => number) =>
    logs ? `${count(logs)}${hasMore ? '+' : ''}` : '–'
  return (
    <StatList
      label="Events"
      stats={[
        { label: 'Total Events', value: figure(all => all.length) },
        { label: "Today's Events", value: logs ? countToday(logs, now) : '–' },
        { label: 'Instance Events', value: figure(all => countKind(all, 'instance')) },
        { label: 'Storage Events', value: figure(all => countKind(all, 'volume')) },
      ]}
    />
  )
}
