import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import {
  type AutoShutdown,
  type AutoShutdownChoice,
  autoShutdownSelect,
  readAutoShutdown,
  selectedOption,
  withChoice,
} from './auto-shutdown.ts'

interface AutoShutdownFieldProps {
  /** What stands while nothing is chosen; undefined while it is not known. */
  readonly present: AutoShutdown | undefined
  readonly choice: AutoShutdownChoice | undefined
  /** Undefined when what stands was chosen again. */
  readonly onChoice: (choice: AutoShutdownChoice | undefined) => void
}

/** What counts as idle is said where it is chosen. */
export function AutoShutdownField({ present, choice, onChoice }: AutoShutdownFieldProps) {
  return (
    <Field
      label="Auto-shutdown"
      hint="Idle: nothing typed in it, no request that changes something, and its processors and GPUs at rest where they can be measured. The disk stays."
    >
      <Select
        value={present && selectedOption(withChoice(present, choice))}
        placeholder="As in your preferences"
        disabled={!present}
        options={present ? autoShutdownSelect(present) : []}
        onValueChange={value =>
          onChoice(present && value === selectedOption(present) ? undefined : readAutoShutdown(value))
        }
      />
    </Field>
  )
}
