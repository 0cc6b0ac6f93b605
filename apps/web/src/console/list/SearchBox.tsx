import { maxSearchText } from '@ingot/contracts/operation'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Input } from '../../ui/Input.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { useTypedText } from './use-typed-text.ts'

interface SearchBoxProps {
  readonly label: string
  /** As the address has it. */
  readonly value: string
  readonly onChange: (text: string) => void
  /** Its width beside the other filters. */
  readonly className?: string
  /** A cross takes the text away. It stands in the key's place, which is then kept on phones too. */
  readonly clearable?: boolean
}

/** The one filter box of a list. `/` goes to it. */
export function SearchBox({
  label,
  value,
  onChange,
  className = 'sm:max-w-aside',
  clearable = false,
}: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  const { text, onType, flush } = useTypedText(value, onChange)
  useShortcut('/', () => input.current?.focus())
  const clear = () => {
    onType('')
    input.current?.focus()
  }
  const cross = (
    <IconButton label="Clear the search" tooltip={false} onClick={clear} className="-mr-1 size-6!">
      <X size={16} aria-hidden />
    </IconButton>
  )
  const key = clearable ? (
    <Kbd>/</Kbd>
  ) : (
    <span className="max-sm:hidden pointer-coarse:hidden">
      <Kbd>/</Kbd>
    </span>
  )
  return (
    <search className={cx('w-full', className)}>
      <Input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={maxSearchText}
        value={text}
        onChange={event => onType(event.target.value)}
        onBlur={flush}
        onKeyDown={event => event.key === 'Enter' && flush()}
        className="[&::-webkit-search-cancel-button]:hidden"
        end={clearable && text ? cross : key}
      />
    </search>
  )
}
