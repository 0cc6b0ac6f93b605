import { Link } from '@tanstack/react-router'
import type { SearchText } from './search-state.ts'

interface RowLinkProps {
  readonly name: string
  /** What it puts into the address: the dialog over the list, of this row. */
  readonly opens: SearchText
}

/** The name in a row, which opens it. The list stays as it is below. */
export function RowLink({ name, opens }: RowLinkProps) {
  return (
    <Link
      to="."
      search={(before: SearchText) => ({ ...before, ...opens })}
      resetScroll={false}
      className="font-semi hover:underline"
      title={name}
    >
      {name}
    </Link>
  )
}
