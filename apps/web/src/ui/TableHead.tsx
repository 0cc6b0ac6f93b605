import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { cx } from './cx.ts'
import { headText, numeric } from './table-class.ts'
import { roles } from './table-roles.ts'
import { SelectBox } from './SelectBox.tsx'
import type { Column } from './TableRow.tsx'
import type { Selection } from './use-selection.ts'

export interface Sort {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
  readonly hasMenu: boolean
  readonly selection: Pick<Selection, 'all' | 'flipAll'> | null
}

/** On a phone only what sorts and what selects all remain in sight, in one line. */
export function TableHead<Row>({ columns, sort, onSort, hasMenu, selection }: TableHeadProps<Row>) {
  const hasSort = Boolean(onSort) && columns.some(column => column.sortable)
  return (
    <thead {...roles.group} className="sticky top-(--table-top,0px) z-sticky bg-raised max-lg:static">
      <tr
        {...roles.row}
        className={cx(
          'max-sm:flex max-sm:min-h-head max-sm:items-center max-sm:gap-4 max-sm:px-3',
          !hasSort && !selection && 'max-sm:sr-only',
        )}
      >
        {selection && (
          <th {...roles.head} scope="col" className="border-line font-normal sm:w-px sm:border-b sm:pl-3">
            <SelectBox
              label="Select all that are shown"
              checked={selection.all}
              onPress={selection.flipAll}
            />
          </th>
        )}
        {columns.map(column => {
          const sortable = onSort && column.sortable
          const sorted = sort?.column === column.id ? sort.direction : undefined
          return (
            <th
              key={column.id}
              {...roles.head}
              scope="col"
              aria-sort={sortable ? (sorted ?? 'none') : undefined}
              className={cx(
                headText,
                'border-line sm:h-head sm:border-b sm:px-3',
                column.numeric && numeric,
                !sortable && 'max-sm:sr-only',
                column.className,
              )}
            >
              {sortable ? (
                <SortButton
                  label={column.header}
                  sorted={sorted}
                  numeric={column.numeric}
                  onClick={() => onSort({ column: column.id, direction: opposite(sorted) })}
                />
              ) : column.headerHidden ? (
                <span className="sr-only">{column.header}</span>
              ) : (
                column.header
              )}
            </th>
          )
        })}
        {hasMenu && (
          <th {...roles.head} scope="col" className="border-line max-sm:sr-only sm:border-b">
            <span className="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

const opposite = (sorted: Sort['direction'] | undefined): Sort['direction'] =>
  sorted === 'ascending' ? 'descending' : 'ascending'

interface SortButtonProps {
  readonly label: string
  readonly sorted: Sort['direction'] | undefined
  readonly numeric: boolean | undefined
  readonly onClick: () => void
}

function SortButton({ label, sorted, numeric, onClick }: SortButtonProps) {
  const Icon = sorted === 'ascending' ? ArrowUp : sorted === 'descending' ? ArrowDown : ChevronsUpDown
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'inline-flex h-6 items-center gap-1 rounded-tag hover:text-ink pointer-coarse:h-touch',
        numeric && 'flex-row-reverse',
        sorted && 'text-ink',
      )}
    >
      {label}
      <Icon size={12} aria-hidden className={sorted ? undefined : 'opacity-60'} />
    </button>
  )
}
