import { Checkbox } from './Checkbox.tsx'

interface SelectBoxProps {
  readonly label: string
  readonly checked: boolean | 'indeterminate'
  /** With Shift held: up to here. */
  readonly onPress: (isRange: boolean) => void
}

/** In a table's first column. A press with Shift is told apart, which a checkbox by itself cannot. */
export function SelectBox({ label, checked, onPress }: SelectBoxProps) {
  return (
    <Checkbox
      label={label}
      labelHidden
      checked={checked}
      onCheckedChange={() => {}}
      onClick={event => {
        event.preventDefault()
        onPress(event.shiftKey)
      }}
    />
  )
}
