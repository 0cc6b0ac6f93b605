import { formatDate, formatExact, formatRelative } from './format.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  /** RFC 3339, as on the wire. */
  readonly at: string
  /** The product's own time where it differs from the browser's. */
  readonly now?: Date
  /** Date and time at once, for lists that are read as a record. */
  readonly exact?: boolean
}

/** Relative up to 24 hours, then the date. The exact time with its UTC offset is one hover away. */
export function Time({ at, now, exact = false }: TimeProps) {
  const ticking = useNow(10_000)
  const date = new Date(at)
  const full = formatExact(date)
  return (
    <time dateTime={at} title={exact ? undefined : full} className="whitespace-nowrap tabular-nums">
      {exact ? full : (formatRelative(date, now ?? ticking) ?? formatDate(date))}
    </time>
  )
}
