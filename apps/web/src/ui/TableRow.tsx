import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { numeric } from './table-class.ts'
import { roles } from './table-roles.ts'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** Read out and not shown: of a column whose cells say it all. */
  readonly headerHidden?: boolean
  readonly cell: (row: Row) => ReactNode
  /** Right-aligned, figures of one width. */
  readonly numeric?: boolean
  readonly sortable?: boolean
  /** Where it stands on a phone: first line left or right, second line, or not at all. */
  readonly phone?: 'lead' | 'aside' | 'detail' | 'hidden'
  /** For its width. */
  readonly className?: string
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly menu: ReactNode
  /** Whether Tab reaches this row; undefined when rows take no focus. */
  readonly reachable: boolean | undefined
  readonly selected: boolean | undefined
  /** Selects it; first in the row. */
  readonly box: ReactNode
  readonly compact: boolean | undefined
}

export const phonePlaces = {
  lead: 'max-sm:order-1 max-sm:grow',
  aside: 'max-sm:order-2',
  detail: 'max-sm:order-5 max-sm:text-label max-sm:font-normal max-sm:text-muted',
  hidden: 'max-sm:hidden',
}

/** The pseudo-element breaks the line between a phone's first and second. */
export const phoneRow =
  'max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-3 max-sm:py-2 max-sm:before:order-4 max-sm:before:basis-full max-sm:before:content-[""]'

export function TableRow<Row>({ row, columns, menu, reachable, selected, box, compact }: TableRowProps<Row>) {
  return (
    <tr
      {...roles.row}
      tabIndex={reachable === undefined ? undefined : reachable ? 0 : -1}
      aria-selected={selected}
      className={cx(
        'border-t border-line -outline-offset-2 hover:bg-hover aria-selected:bg-selected forced-colors:aria-selected:outline',
        phoneRow,
      )}
    >
      {box && (
        <td {...roles.cell} className="max-sm:block sm:w-px sm:pl-3">
          {box}
        </td>
      )}
      {columns.map(column => (
        <td
          key={column.id}
          {...roles.cell}
          className={cx(
            compact ? 'sm:h-8' : 'sm:h-row',
            'max-sm:block sm:px-3',
            column.numeric && numeric,
            phonePlaces[column.phone ?? 'detail'],
            column.className,
          )}
        >
          {column.cell(row)}
        </td>
      ))}
      {menu && (
        <td
          {...roles.cell}
          data-row-menu
          className="max-sm:order-3 max-sm:-my-2 max-sm:-mr-2 max-sm:block sm:w-px sm:pr-1"
        >
          {menu}
        </td>
      )}
    </tr>
  )
}
