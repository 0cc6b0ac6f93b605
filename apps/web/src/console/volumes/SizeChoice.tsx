import { formatUsd } from '@ingot/contracts/money'
import {
  defaultVolumeGb,
  maxVolumeGb,
  minVolumeGb,
  typedVolumeGb,
  volumeMonthMicro,
  volumePerGbMonth,
  volumePresetsGb,
} from '@ingot/contracts/volume/prices'
import { type ReactNode, useId, useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatMoney } from '../../ui/format.ts'
import { Input } from '../../ui/Input.tsx'
import { formatSize } from './volume-text.ts'

const largest = volumePresetsGb.at(-1)!

interface SizeChoiceProps {
  readonly gb: number
  readonly onGb: (gb: number) => void
  /** Smaller ones are not offered. */
  readonly least?: number
  readonly error?: ReactNode
}

/** Seven sizes with the price of a month, drawn to one scale, and any other. */
export function SizeChoice({ gb, onGb, least = minVolumeGb, error }: SizeChoiceProps) {
  const group = useId()
  const presets = volumePresetsGb.filter(preset => preset >= least)
  const [isOther, setOther] = useState(!presets.some(preset => preset === gb))
  const [typed, setTyped] = useState(isOther ? String(gb) : '')
  const sizeOf = (text: string) => Math.max(least, typedVolumeGb(text))
  const chooseOther = () => {
    setOther(true)
    onGb(sizeOf(typed))
  }
  return (
    <fieldset aria-describedby={error ? `${group}-error` : undefined}>
      <legend className="pb-1 font-medium">Size</legend>
      <div className="overflow-hidden rounded-panel border border-line">
        {presets.map(preset => (
          <SizeRow
            key={preset}
            group={group}
            chosen={!isOther && preset === gb}
            onChoose={() => {
              setOther(false)
              onGb(preset)
            }}
            label={formatSize(preset)}
            aside={
              <>
                {formatMoney(formatUsd(volumeMonthMicro(preset)))}
                <span className="text-muted"> per month</span>
              </>
            }
          >
            <span className="flex h-5 min-w-0 grow items-center justify-between sm:pr-24">
              <span
                aria-hidden
                style={{ width: `max(2px, ${(preset / largest) * 100}%)` }}
                className={cx(
                  'h-2 forced-color-adjust-none',
                  !isOther && preset === gb ? 'bg-chart-1' : 'bg-line-strong',
                )}
              />
              {preset === defaultVolumeGb && <Badge>Popular</Badge>}
            </span>
          </SizeRow>
        ))}
        <SizeRow
          group={group}
          chosen={isOther}
          onChoose={chooseOther}
          label="Other"
          aside={
            isOther ? (
              <>
                {formatMoney(formatUsd(volumeMonthMicro(gb)))}
                <span className="text-muted max-sm:hidden"> per month</span>
              </>
            ) : (
              <span className="text-muted max-sm:hidden">
                {formatMoney(volumePerGbMonth)} per GB and month
              </span>
            )
          }
        >
          <span className="block grow">
            <span className="block w-names">
              <Input
                aria-label="Size in GB"
                inputMode="numeric"
                autoComplete="off"
                maxLength={6}
                placeholder={
                  least < 100 ? `${least} to ${formatCount(maxVolumeGb)}` : `from ${formatCount(least)}`
                }
                value={typed}
                end="GB"
                className="pr-row!"
                onFocus={chooseOther}
                onChange={event => {
                  setTyped(event.target.value)
                  onGb(sizeOf(event.target.value))
                }}
                onBlur={() => setTyped(String(sizeOf(typed)))}
              />
            </span>
          </span>
        </SizeRow>
      </div>
      {error && (
        <p id={`${group}-error`} className="pt-1 text-label text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface SizeRowProps {
  readonly group: string
  readonly chosen: boolean
  readonly onChoose: () => void
  readonly label: string
  readonly aside: ReactNode
  readonly children: ReactNode
}

function SizeRow({ group, chosen, onChoose, label, aside, children }: SizeRowProps) {
  const id = useId()
  return (
    // The whole row is a larger target for the pointer; the radio in it is what keys and readers use.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div
      onClick={() => !chosen && onChoose()}
      className={cx(
        'flex min-h-row items-center gap-3 border-t border-line px-3 first:border-t-0',
        chosen ? 'bg-selected forced-colors:outline' : 'cursor-pointer hover:bg-hover',
      )}
    >
      <input
        id={id}
        type="radio"
        name={group}
        checked={chosen}
        onChange={onChoose}
        aria-describedby={`${id}-price`}
        className="relative block size-4 shrink-0 appearance-none rounded-full border border-line-strong bg-raised checked:border-4 checked:border-accent forced-colors:appearance-auto"
      />
      <label htmlFor={id} className="w-16 shrink-0 font-semi tabular-nums">
        {label}
      </label>
      {children}
      <span id={`${id}-price`} className="shrink-0 text-right tabular-nums">
        {aside}
      </span>
    </div>
  )
}
