import { useId, useState } from 'react'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'
import { cx } from './cx.ts'
import { Scroller } from './Scroller.tsx'
import { tableCell, tableHead, tableRow } from './table-class.ts'

interface FigureTableProps {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Every figure of a chart, as a table that is copied with tabs between its cells. */
export function FigureTable({ label, head, rows }: FigureTableProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const words = isOpen ? 'Hide the table' : 'As a table'
  // Two instances may have one name.
  const columns = head.map((text, at) => ({ text, at }))
  return (
    <>
      <Button
        variant="ghost"
        aria-label={`${words}: ${label}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {words}
      </Button>
      {isOpen && (
        <div id={id} className="flex w-full min-w-0 basis-full flex-col gap-2">
          <div>
            <CopyButton
              labelled
              what={label}
              text={[head, ...rows].map(cells => cells.join('\t')).join('\n')}
            />
          </div>
          <Scroller
            label={`${label}, table`}
            className="max-h-list overflow-auto rounded-panel border border-line bg-raised"
          >
            <table aria-label={label} className="w-full border-collapse text-left tabular-nums">
              <thead>
                <tr>
                  {columns.map(({ text, at }) => (
                    <th key={at} scope="col" className={cx(tableHead, at > 0 && 'text-right')}>
                      {text}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((cells, row) => (
                  // Rows have their place, and two may be alike.
                  // oxlint-disable-next-line react/no-array-index-key
                  <tr key={row} className={tableRow}>
                    <th scope="row" className={cx(tableCell, 'font-normal whitespace-nowrap')}>
                      {cells[0]}
                    </th>
                    {columns.slice(1).map(({ at }) => (
                      <td key={at} className={cx(tableCell, 'text-right whitespace-nowrap')}>
                        {cells[at]}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
        </div>
      )}
    </>
  )
}
