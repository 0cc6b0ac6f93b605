import { useRef } from 'react'
import { Input } from '../../ui/Input.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { useTypedText } from './use-typed-text.ts'

interface SearchBoxProps {
  readonly label: string
  /** As the address has it. */
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The one filter box of a list. `/` goes to it. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  const { text, onType, flush } = useTypedText(value, onChange)
  useShortcut('/', () => input.current?.focus())
  return (
    <search className="w-full sm:max-w-aside">
      <Input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={100}
        value={text}
        onChange={event => onType(event.target.value)}
        onBlur={flush}
        onKeyDown={event => event.key === 'Enter' && flush()}
        className="[&::-webkit-search-cancel-button]:hidden"
        end={
          <span className="max-sm:hidden pointer-coarse:hidden">
            <Kbd>/</Kbd>
          </span>
        }
      />
    </search>
  )
}
