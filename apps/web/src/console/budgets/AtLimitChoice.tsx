import type { AtLimit } from '@ingot/contracts/budgets'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { atLimitWords } from './budget-text.ts'

interface AtLimitChoiceProps {
  readonly value: AtLimit
  readonly onValueChange: (value: AtLimit) => void
}

export function AtLimitChoice({ value, onValueChange }: AtLimitChoiceProps) {
  return (
    <RadioGroup
      legend="When it is used up"
      options={[
        {
          value: 'stop',
          label: atLimitWords.stop,
          hint: 'At that very millisecond; nothing is charged beyond. What is prepaid runs on to its end, and disks are kept.',
        },
        {
          value: 'warn',
          label: atLimitWords.warn,
          hint: 'You are told at 50, 80 and 100 percent either way.',
        },
      ]}
      value={value}
      onValueChange={onValueChange}
    />
  )
}
