import { cx } from '../../ui/cx.ts'
import { Money } from '../../ui/Money.tsx'
import { numeric, table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { useShown } from '../shown.ts'

/**
 * Every GPU with its price. Only the running service knows how many are free: the island fills those cells and the
 * time; until then, and without a script, they show a dash.
 */
export function FloorBoard() {
  const { gpus } = useShown()
  return (
    <section aria-labelledby="floor" data-island="free-counts" className="min-w-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 pb-2">
        <h2 id="floor" className="text-title">
          On the floor right now
        </h2>
        <p data-time className="text-label text-muted tabular-nums" />
      </div>
      <div className={tableFrame}>
        <table className={table}>
          <thead>
            <tr>
              <th scope="col" className={tableHead}>
                GPU
              </th>
              <th scope="col" className={cx(tableHead, numeric)}>
                Memory
              </th>
              <th scope="col" className={cx(tableHead, numeric)}>
                Per hour
              </th>
              <th scope="col" className={cx(tableHead, numeric)}>
                Free
              </th>
            </tr>
          </thead>
          <tbody>
            {gpus.map(gpu => (
              <tr key={gpu.name} className={tableRow}>
                <th scope="row" className={cx(tableCell, 'font-semi whitespace-nowrap')}>
                  {gpu.name}
                </th>
                <td className={cx(tableCell, numeric)}>{gpu.memory_gb} GB</td>
                <td className={cx(tableCell, numeric)}>
                  <Money value={gpu.hourly_price} />
                </td>
                <td data-gpu={gpu.name} className={cx(tableCell, numeric, 'text-muted')}>
                  –
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p data-note className="pt-2 text-label text-muted">
        Prices are for one GPU with its vCPU and RAM, billed by the second while it runs.
      </p>
    </section>
  )
}
