import { dataStorageGb, gpuCounts, systemStorageGb, terms } from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import { type ReactNode, useId } from 'react'
import { cx } from '../../ui/cx.ts'
import { formatGb } from '../../ui/format.ts'
import { inputClass } from '../../ui/Input.tsx'
import { Money } from '../../ui/Money.tsx'
import { choiceClass } from '../parts/control-class.ts'
import { numeric, table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { useShown } from '../shown.ts'
import { costs, defaultChoice, maxHours, termNote } from './calculator.ts'

/**
 * The figures in the page are those of the default choice; islands/calculator.ts follows the controls, with the prices
 * that the page brings.
 */
export function Calculator() {
  const { gpus } = useShown()
  const choice = defaultChoice(gpus)
  const shown = costs(choice, gpus)
  const rows = [
    { period: 'hourly', label: 'On demand', note: 'By the second, as long as it runs.' },
    { period: '3month', label: terms['3month'].label, note: termNote(shown, '3month', choice.hours) },
    { period: '1year', label: terms['1year'].label, note: termNote(shown, '1year', choice.hours) },
  ] as const
  const priced = gpus.map(({ name, hourly_price, upfront }) => ({ name, hourly_price, upfront }))
  return (
    <div
      data-island="calculator"
      data-gpus={JSON.stringify(priced)}
      className="grid gap-8 lg:grid-cols-5 lg:gap-12"
    >
      <form className="needs-script grid grid-cols-2 content-start gap-4 lg:col-span-2">
        <Choice
          label="GPU"
          name="gpu"
          value={choice.gpu}
          options={gpus.map(gpu => gpu.name)}
          className="col-span-2"
        />
        <Choice label="Count" name="count" value={String(choice.count)} options={gpuCounts.map(String)} />
        <Hours value={choice.hours} />
        <Choice
          label="System disk"
          name="system"
          value={String(choice.system)}
          options={systemStorageGb.map(String)}
          format={formatGb}
        />
        <Choice
          label="Data disk"
          name="data"
          value={String(choice.data)}
          options={dataStorageGb.map(String)}
          format={formatGb}
        />
      </form>
      <div className="min-w-0 lg:col-span-3">
        <div className={tableFrame}>
          <table className={table}>
            <caption data-summary className="px-3 pt-3 pb-2 text-left text-muted">
              {choice.hours} hours of {choice.count} × {choice.gpu}, with {choice.system + choice.data} GB of
              disk
            </caption>
            <thead className="sr-only">
              <tr>
                <th scope="col" className={tableHead}>
                  Paid
                </th>
                <th scope="col" className={tableHead}>
                  What it means
                </th>
                <th scope="col" className={tableHead}>
                  Total
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ period, label, note }) => (
                <tr
                  key={period}
                  data-period={period}
                  aria-current={period === shown.cheapest ? 'true' : undefined}
                  className={cx(tableRow, 'aria-[current]:bg-selected')}
                >
                  <th scope="row" className={cx(tableCell, 'py-3 font-semi whitespace-nowrap')}>
                    {label}
                  </th>
                  <td data-note className={cx(tableCell, 'py-3 text-muted')}>
                    {note}
                  </td>
                  <td data-total className={cx(tableCell, numeric, 'py-3 text-heading')}>
                    <Money value={formatUsd(shown.total[period])} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p data-spoken aria-live="polite" className="pt-3 text-prose">
          On demand costs least for these hours: <Money value={formatUsd(shown.total.hourly)} />.
        </p>
        <p className="pt-1 text-muted">
          An hour of it costs{' '}
          <span data-hourly className="tabular-nums">
            <Money value={formatUsd(shown.hourly)} exact />
          </span>
          , storage included. A term is paid at once, whether the instance runs or not.
        </p>
      </div>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
  readonly format?: (gb: number) => string
  readonly className?: string
}

function Choice({ label, name, value, options, format, className }: ChoiceProps) {
  return (
    <Labelled label={label} className={className}>
      {id => (
        <select id={id} name={name} defaultValue={value} className={choiceClass}>
          {options.map(option => (
            <option key={option} value={option}>
              {format ? format(Number(option)) : option}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

const Hours = ({ value }: { readonly value: number }) => (
  <Labelled label="Hours it runs">
    {id => (
      <input
        id={id}
        name="hours"
        type="number"
        inputMode="numeric"
        min={1}
        max={maxHours}
        step={1}
        defaultValue={value}
        className={cx(inputClass, 'h-control tabular-nums')}
      />
    )}
  </Labelled>
)

interface LabelledProps {
  readonly label: string
  readonly className?: string | undefined
  readonly children: (id: string) => ReactNode
}

function Labelled({ label, className, children }: LabelledProps) {
  const id = useId()
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children(id)}
    </div>
  )
}
