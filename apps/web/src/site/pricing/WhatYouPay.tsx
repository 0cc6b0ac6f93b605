import { cx } from '../../ui/cx.ts'
import { formatMoney } from '../../ui/format.ts'
import { table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { gpuNamed } from '../cost-of.ts'
import { useShown, type Words, wordsOf } from '../shown.ts'

const states: readonly { readonly state: string; readonly pay: Words; readonly happens: string }[] = [
  {
    state: 'Deploy',
    pay: 'The first hour, or the whole term.',
    happens: 'Usage draws on this charge before it touches your balance.',
  },
  {
    state: 'Starting',
    pay: 'Nothing.',
    happens: 'The meter starts when the instance runs.',
  },
  {
    state: 'Running',
    pay: shown =>
      `The hourly price, by the second: ${formatMoney(gpuNamed(shown, 'H100').hourly_price)} per hour for one H100.`,
    happens: 'Your balance falls as it runs. The console shows the rate and the hours left.',
  },
  {
    state: 'Stopped',
    pay: '$0.00 per hour.',
    happens:
      'The disk stays and the GPU is released. Network volumes are paid by the month, whether an instance runs or not.',
  },
  {
    state: 'Deleted',
    pay: 'Nothing.',
    happens: 'The disk is gone. What is left of the deploy charge returns to your balance at once.',
  },
  {
    state: 'Balance empty',
    pay: 'Nothing more.',
    happens:
      'Running instances are stopped. Add funds and start them again. A volume whose month cannot be paid is read-only, and deleted after seven days.',
  },
]

/** A table of states. It stands on the front page and under the prices. */
export function WhatYouPay() {
  const shown = useShown()
  return (
    <div className={tableFrame}>
      <table className={table}>
        <thead className="max-sm:sr-only">
          <tr>
            <th scope="col" className={tableHead}>
              Stage
            </th>
            <th scope="col" className={tableHead}>
              You pay
            </th>
            <th scope="col" className={tableHead}>
              What happens
            </th>
          </tr>
        </thead>
        <tbody>
          {states.map(({ state, pay, happens }) => (
            <tr key={state} className={cx(tableRow, 'max-sm:block max-sm:py-3 max-sm:first:border-t-0')}>
              <th
                scope="row"
                className={cx(
                  tableCell,
                  'py-2 font-semi max-sm:block max-sm:h-auto max-sm:py-0 sm:whitespace-nowrap',
                )}
              >
                {state}
              </th>
              <td className={cx(tableCell, 'py-2 max-sm:block max-sm:h-auto max-sm:py-0')}>
                {wordsOf(pay, shown)}
              </td>
              <td className={cx(tableCell, 'py-2 text-muted max-sm:block max-sm:h-auto max-sm:py-0')}>
                {happens}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
