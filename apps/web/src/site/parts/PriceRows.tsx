import { cx } from '../../ui/cx.ts'
import { table, tableCell, tableFrame, tableHead, tableRow, numeric } from '../../ui/table-class.ts'

interface PriceRowsProps {
  readonly caption: string
  readonly rows: readonly {
    readonly name: string
    readonly advertised: string
    readonly charged: string
  }[]
}

/** A figure of the marketing text beside what is charged: two columns that cannot be taken for each other. */
export function PriceRows({ caption, rows }: PriceRowsProps) {
  return (
    <div className={tableFrame}>
      <table className={table}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className={tableHead}>
              GPU
            </th>
            <th scope="col" className={cx(tableHead, numeric)}>
              Advertised
            </th>
            <th scope="col" className={cx(tableHead, numeric)}>
              You are charged
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.name} className={tableRow}>
              <th scope="row" className={cx(tableCell, 'font-semi')}>
                {row.name}
              </th>
              <td className={cx(tableCell, numeric, 'text-muted')}>{row.advertised}</td>
              <td className={cx(tableCell, numeric, 'font-semi')}>{row.charged}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
