import { terms } from '@ingot/contracts/catalog'
import { cx } from '../../ui/cx.ts'
import { Money } from '../../ui/Money.tsx'
import { Scroller } from '../../ui/Scroller.tsx'
import { useShown } from '../shown.ts'
import { numeric, table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'

const heads = ['Memory', 'vCPU', 'RAM', 'Per hour', terms['3month'].label, terms['1year'].label]

export function PriceTable() {
  const { gpus } = useShown()
  return (
    <>
      <Scroller label="Price table" className={tableFrame}>
        <table className={table}>
          <thead>
            <tr>
              <th scope="col" className={tableHead}>
                GPU
              </th>
              {heads.map(head => (
                <th key={head} scope="col" className={cx(tableHead, numeric)}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {gpus.map(gpu => (
              <tr key={gpu.name} className={tableRow}>
                <th scope="row" className={cx(tableCell, 'font-semi whitespace-nowrap')}>
                  {gpu.name}
                </th>
                <td className={cx(tableCell, numeric)}>{gpu.memory_gb} GB</td>
                <td className={cx(tableCell, numeric)}>{gpu.vcpus}</td>
                <td className={cx(tableCell, numeric)}>{gpu.ram_gb} GB</td>
                <td className={cx(tableCell, numeric)}>
                  <Money value={gpu.hourly_price} />
                </td>
                <Term {...gpu.upfront['3month']} />
                <Term {...gpu.upfront['1year']} />
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p className="pt-2 text-label text-muted">
        “Save” compares a term with the same hours at the hourly price:{' '}
        {terms['3month'].hours.toLocaleString('en-US')} hours in {terms['3month'].label},{' '}
        {terms['1year'].hours.toLocaleString('en-US')} in {terms['1year'].label}.
      </p>
    </>
  )
}

/** The label appears only where there is a saving, with the figure that the catalogue computes. */
function Term({
  total_cost,
  savings_percent,
}: {
  readonly total_cost: string
  readonly savings_percent: number
}) {
  return (
    <td className={cx(tableCell, numeric)}>
      {savings_percent > 0 && <span className="text-label text-ok">Save {savings_percent}%</span>}
      <span className="inline-block min-w-16">
        <Money value={total_cost} wholeDollars />
      </span>
    </td>
  )
}
