import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'

interface FindBarProps {
  readonly matches: { readonly index: number; readonly count: number }
  readonly onFind: (text: string, direction: 'next' | 'previous', incremental?: boolean) => void
  readonly onClose: () => void
}

/** Finds on the screen and in what has scrolled off it. Enter goes up, to what is older; Escape closes. */
export function FindBar({ matches, onFind, onClose }: FindBarProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onFind(text, 'previous')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  return (
    <search className="border-b border-line bg-raised">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form onSubmit={submit} onKeyDown={onKeyDown} className="flex items-center gap-2 px-3 py-2">
        <div className="w-full max-w-toast">
          <Input
            // Opened by a key: the next keys are for it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            aria-label="Find in the terminal"
            placeholder="Find"
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={event => {
              setText(event.target.value)
              onFind(event.target.value, 'next', true)
            }}
          />
        </div>
        <output className="text-label whitespace-nowrap text-muted tabular-nums">
          {text && countText(matches)}
        </output>
        <IconButton label="Previous match" onClick={() => onFind(text, 'previous')}>
          <ArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton label="Next match" onClick={() => onFind(text, 'next')}>
          <ArrowDown size={16} aria-hidden />
        </IconButton>
        <IconButton label="Close the search" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </form>
    </search>
  )
}

function countText({ index, count }: FindBarProps['matches']): string {
  if (count === 0) return 'No match'
  return index < 0 ? `${count} matches` : `${index + 1} of ${count}`
}
