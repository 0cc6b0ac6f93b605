import { type Price, termEnd, type terms } from '@ingot/contracts/catalog'
import type { termEnds } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import { formatDate, formatRate } from '../../../ui/format.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { useNow } from '../../../ui/use-now.ts'

type TermEnd = (typeof termEnds)[number]

interface TermEndChoiceProps {
  readonly price: Pick<Price, 'hourly'>
  readonly period: keyof typeof terms
  readonly value: TermEnd
  readonly onValueChange: (value: TermEnd) => void
}

/** What becomes of it when what was paid for is over. It can be changed until then. */
export function TermEndChoice({ price, period, value, onValueChange }: TermEndChoiceProps) {
  const now = useNow(60_000)
  return (
    <RadioGroup
      legend={`When the term ends, on ${formatDate(termEnd(period, now))}`}
      value={value}
      onValueChange={onValueChange}
      options={termEndOptions(formatUsd(price.hourly))}
    />
  )
}

export const termEndOptions = (hourly: string) =>
  [
    { value: 'hourly', label: 'It runs on', hint: `${formatRate(hourly)} per hour, by the second.` },
    { value: 'stop', label: 'It stops', hint: 'Its disk is kept. It can be started again by the hour.' },
  ] as const
