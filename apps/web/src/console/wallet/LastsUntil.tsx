import { formatExact } from '../../ui/format.ts'
import { formatUntil } from './runway.ts'

/** `until Thu 14:32`, in the reader's zone; the whole time with its offset is one hover away. */
export function LastsUntil({ at, now }: { readonly at: number; readonly now: number }) {
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={formatExact(date)} className="whitespace-nowrap tabular-nums">
      until {formatUntil(date, new Date(now))}
    </time>
  )
}
