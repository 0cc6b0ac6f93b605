import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'

export interface PickerItem {
  readonly id: string
  readonly label: string
  /** At the right, in grey. */
  readonly hint?: string
}

interface PickerProps {
  /** What is picked: `Instance`. */
  readonly label: string
  /** What is picked now, in words. */
  readonly text: string
  /** The id of it. */
  readonly value: string
  /** In the order they are shown; whoever owns them finds what is typed. */
  readonly items: readonly PickerItem[]
  readonly searchLabel: string
  readonly maxLength: number
  readonly onSearch: (text: string) => void
  readonly onPick: (id: string) => void
  /** Under the items: that there are more, that they could not be loaded. */
  readonly note?: ReactNode
}

/** A choice among more than a menu can hold: what is typed is looked up. */
export function Picker({
  label,
  text,
  value,
  items,
  searchLabel,
  maxLength,
  onSearch,
  onPick,
  note,
}: PickerProps) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const type = (next: string) => {
    setTyped(next.slice(0, maxLength))
    onSearch(next.slice(0, maxLength))
  }
  const change = (open: boolean) => {
    setOpen(open)
    if (!open) type('')
  }
  return (
    <Radix.Root open={isOpen} onOpenChange={change}>
      <Radix.Trigger
        aria-label={`${label}: ${text}`}
        className="inline-flex h-control max-w-full items-center justify-between gap-2 rounded-control border border-line-strong bg-raised px-3 text-left text-input font-medium text-ink sm:max-w-aside"
      >
        <span className="truncate">{text}</span>
        <ChevronDown size={16} aria-hidden className="shrink-0 text-muted" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-menu w-aside max-w-(--radix-popover-content-available-width) animate-menu-in overflow-hidden rounded-panel border border-line bg-raised text-ink shadow-float"
        >
          <Command label={searchLabel} loop shouldFilter={false}>
            <Command.Input
              placeholder={searchLabel}
              value={typed}
              onValueChange={type}
              className="h-control w-full border-b-2 border-line bg-raised px-3 text-input outline-hidden focus-visible:border-focus"
            />
            <Command.List className="max-h-list overflow-y-auto p-1">
              {items.map(item => (
                <Command.Item
                  key={item.id}
                  value={item.id || 'none'}
                  onSelect={() => {
                    change(false)
                    onPick(item.id)
                  }}
                  className="flex min-h-control cursor-default items-center gap-2 rounded-tag px-2 data-[selected=true]:bg-hover"
                >
                  <span className="w-4 shrink-0">{item.id === value && <Check size={16} aria-hidden />}</span>
                  <span className="min-w-0 grow truncate">{item.label}</span>
                  {item.hint && <span className="text-muted">{item.hint}</span>}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
          <div
            aria-live="polite"
            className="border-t border-line px-3 py-2 text-label text-muted empty:hidden"
          >
            {note}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
