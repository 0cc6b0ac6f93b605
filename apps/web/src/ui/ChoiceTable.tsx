import { useId } from 'react'
import { cx } from './cx.ts'
import { headText, numeric, table, tableFrame } from './table-class.ts'
import { roles } from './table-roles.ts'
import { type Column, phonePlaces, phoneRow } from './TableRow.tsx'

interface ChoiceTableProps<Row> {
  /** What is chosen: `GPU type`. */
  readonly label: string
  /** The first column names the row, and with it its radio. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly value: string
  readonly onValueChange: (key: string) => void
  /** Such a row stays but cannot be chosen; a column of its own says why. */
  readonly isOff?: (row: Row) => boolean
}

/** One row of several, by a radio in front. The radios are the browser's own, so its arrow keys move the choice. */
export function ChoiceTable<Row>(props: ChoiceTableProps<Row>) {
  const { label, columns, rows, rowKey, value, onValueChange, isOff } = props
  const group = useId()
  return (
    <div className={tableFrame}>
      <table {...roles.table} aria-label={label} className={table}>
        <thead {...roles.group} className="max-sm:sr-only">
          <tr {...roles.row}>
            <th {...roles.head} scope="col" className="w-px">
              <span className="sr-only">Choice</span>
            </th>
            {columns.map(column => (
              <th
                key={column.id}
                {...roles.head}
                scope="col"
                className={cx(headText, 'h-head px-3', column.numeric && numeric, column.className)}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...roles.group}>
          {rows.map((row, index) => (
            <ChoiceRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              group={group}
              id={`${group}-${index}`}
              chosen={rowKey(row) === value}
              off={isOff?.(row) ?? false}
              onChoose={() => onValueChange(rowKey(row))}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ChoiceRowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly group: string
  readonly id: string
  readonly chosen: boolean
  readonly off: boolean
  readonly onChoose: () => void
}

function ChoiceRow<Row>({ row, columns, group, id, chosen, off, onChoose }: ChoiceRowProps<Row>) {
  const [first, ...others] = columns
  return (
    // The whole row is a larger target for the pointer; the radio in it is what keys and readers use.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <tr
      {...roles.row}
      onClick={() => !off && !chosen && onChoose()}
      className={cx(
        'border-t border-line max-sm:first:border-t-0',
        phoneRow,
        chosen && 'bg-selected forced-colors:outline',
        !chosen && !off && 'cursor-pointer hover:bg-hover',
        off && 'text-muted',
      )}
    >
      <td {...roles.cell} className="max-sm:order-first max-sm:block sm:h-row sm:pl-3">
        <input
          id={id}
          type="radio"
          name={group}
          checked={chosen}
          disabled={off}
          onChange={onChoose}
          className="relative block size-4 appearance-none rounded-full border border-line-strong bg-raised checked:border-4 checked:border-accent disabled:opacity-60 forced-colors:appearance-auto"
        />
      </td>
      {first && (
        <td
          {...roles.cell}
          className={cx('max-sm:block sm:h-row sm:px-3', phonePlaces[first.phone ?? 'lead'], first.className)}
        >
          <label htmlFor={id} className={off ? 'font-medium' : 'font-semi'}>
            {first.cell(row)}
          </label>
        </td>
      )}
      {others.map(column => (
        <td
          key={column.id}
          {...roles.cell}
          className={cx(
            'max-sm:block sm:h-row sm:px-3',
            column.numeric && numeric,
            phonePlaces[column.phone ?? 'detail'],
            column.className,
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}
