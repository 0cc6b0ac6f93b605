import { Fragment, type ReactNode, useRef } from 'react'
import { cx } from './cx.ts'
import { SelectBox } from './SelectBox.tsx'
import { table, tableFrame } from './table-class.ts'
import { type Sort, TableHead } from './TableHead.tsx'
import { roles } from './table-roles.ts'
import { type Column, TableRow } from './TableRow.tsx'
import { useLongPress } from './use-long-press.ts'
import { underRow, useRowKeys } from './use-row-keys.ts'
import { type Keys, useSelection } from './use-selection.ts'

interface TableProps<Row> {
  /** Its name: `Instances`. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** The address holds it; the server sorts. */
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  /** A Menu: last in the row, and under the `.` key. */
  readonly renderMenu?: (row: Row) => ReactNode
  /** What an opened row shows below itself; nothing for one that is closed. */
  readonly renderUnder?: (row: Row) => ReactNode
  /** Enter on a row. The name in it is a link all the same. */
  readonly onOpen?: (row: Row) => void
  /** The focus came to a row, or into it. */
  readonly onCurrent?: ((row: Row) => void) | undefined
  /** The keys of what is selected, also of rows that are not shown. With it each row begins with a box. */
  readonly selected?: Keys
  readonly onSelected?: (selected: Keys) => void
  /** What a row's box is called: `Select llama-ft-07`. */
  readonly rowName?: (row: Row) => string
  /** Old rows stay; a bar under the head says that new ones are coming. */
  readonly refreshing?: boolean
  readonly compact?: boolean
}

const nothing: Keys = new Set()

/**
 * A list. J, K and the arrows move between rows, Enter opens, `.` opens the row's menu. Where rows can be selected, X
 * and Space do it, Shift takes a range, and on a touch screen a finger that rests on a row does too. The head sticks
 * where the frame does not scroll (from 1024 px), below whatever `--table-top` says is already there; under 640 px each
 * row becomes two lines with the same actions.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, renderMenu, rowName } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const selection = useSelection(rows.map(rowKey), props.selected ?? nothing, props.onSelected)
  const keys = useRowKeys(body, rows, {
    onOpen: props.onOpen,
    onCurrent: props.onCurrent,
    onSelect: selection ? row => selection.flip(rowKey(row)) : undefined,
    onExtend: selection ? (row, from) => selection.extend(rowKey(row), rowKey(from)) : undefined,
  })
  useLongPress(body, selection !== null, index => {
    const row = rows[index]
    if (row) selection?.flip(rowKey(row))
  })
  return (
    <div className={cx(tableFrame, 'relative')}>
      <table
        {...roles.table}
        aria-label={label}
        aria-busy={props.refreshing || undefined}
        className={cx(table, 'max-sm:table-fixed')}
      >
        <TableHead
          columns={columns}
          sort={props.sort}
          onSort={props.onSort}
          hasMenu={Boolean(renderMenu)}
          selection={selection}
        />
        <tbody ref={body} {...roles.group}>
          {rows.map((row, index) => (
            <Fragment key={rowKey(row)}>
              <TableRow
                row={row}
                columns={columns}
                menu={renderMenu?.(row)}
                reachable={keys.on ? index === keys.current : undefined}
                selected={selection?.isSelected(rowKey(row))}
                box={
                  selection && (
                    <SelectBox
                      label={`Select ${rowName?.(row) ?? 'row'}`}
                      checked={selection.isSelected(rowKey(row))}
                      onPress={isRange => (isRange ? selection.extend : selection.flip)(rowKey(row))}
                    />
                  )
                }
                compact={props.compact}
              />
              <UnderRow span={columns.length + (selection ? 1 : 0) + (renderMenu ? 1 : 0)}>
                {props.renderUnder?.(row)}
              </UnderRow>
            </Fragment>
          ))}
        </tbody>
      </table>
      {props.refreshing && (
        <div aria-hidden className="absolute inset-x-0 top-0 h-0.5 sm:top-head overflow-hidden">
          <div className="h-full w-1/4 animate-slide bg-accent" />
        </div>
      )}
    </div>
  )
}

interface UnderRowProps {
  readonly span: number
  readonly children: ReactNode
}

/** It is no row of the list: J and K pass it by. */
function UnderRow({ span, children }: UnderRowProps) {
  if (!children) return null
  return (
    <tr {...roles.row} {...underRow} className="max-sm:block">
      <td {...roles.cell} colSpan={span} className="border-t border-line bg-sunken max-sm:block">
        {children}
      </td>
    </tr>
  )
}
