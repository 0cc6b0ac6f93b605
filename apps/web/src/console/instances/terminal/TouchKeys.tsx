import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'

interface TouchKeysProps {
  readonly isCtrlHeld: boolean
  readonly onCtrl: (held: boolean) => void
  readonly onPress: (keys: string) => void
}

const escape = '\u001B'
const keys: readonly { readonly name: string; readonly sends: string; readonly shows?: ReactNode }[] = [
  { name: 'Esc', sends: escape },
  { name: 'Tab', sends: '\t' },
  { name: 'Left', sends: `${escape}[D`, shows: <ArrowLeft size={16} aria-hidden /> },
  { name: 'Up', sends: `${escape}[A`, shows: <ArrowUp size={16} aria-hidden /> },
  { name: 'Down', sends: `${escape}[B`, shows: <ArrowDown size={16} aria-hidden /> },
  { name: 'Right', sends: `${escape}[C`, shows: <ArrowRight size={16} aria-hidden /> },
]

/** The keys that a keyboard on the screen lacks. Pressing one leaves the focus, and with it that keyboard, where it is. */
export function TouchKeys({ isCtrlHeld, onCtrl, onPress }: TouchKeysProps) {
  return (
    <div
      role="toolbar"
      aria-label="Keys"
      onPointerDown={event => event.preventDefault()}
      className="hidden gap-1 overflow-x-auto border-t border-line bg-raised px-2 py-1 pointer-coarse:flex"
    >
      <Button
        aria-pressed={isCtrlHeld}
        className="aria-pressed:bg-selected"
        onClick={() => onCtrl(!isCtrlHeld)}
      >
        Ctrl
      </Button>
      {keys.map(({ name, sends, shows }) => (
        <Button key={name} aria-label={shows ? name : undefined} onClick={() => onPress(sends)}>
          {shows ?? name}
        </Button>
      ))}
    </div>
  )
}
