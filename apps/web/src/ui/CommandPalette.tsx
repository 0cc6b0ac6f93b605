import { Command } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Kbd } from './Kbd.tsx'
import { matchGroups } from './palette-match.ts'
import { useReturnFocus } from './use-return-focus.ts'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  /** At the right, in grey: a status, a place. */
  readonly hint?: string
  /** Other words to find it by: an id, a synonym. */
  readonly keywords?: readonly string[]
  readonly shortcut?: string
  readonly icon?: ReactNode
  readonly onSelect: () => void
}

export interface PaletteGroup {
  readonly heading: string
  readonly items: readonly PaletteItem[]
}

interface CommandPaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly groups: readonly PaletteGroup[]
  /** Called with what is typed, for groups that come from the server. */
  readonly onSearch?: (text: string) => void
}

const group =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-label [&_[cmdk-group-heading]]:text-muted'

export function CommandPalette({ open, onOpenChange, groups, onSearch }: CommandPaletteProps) {
  const [typed, setTyped] = useState('')
  const type = (text: string) => {
    setTyped(text)
    onSearch?.(text)
  }
  const change = (next: boolean) => {
    type('')
    onOpenChange(next)
  }
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-dialog animate-scrim-in bg-scrim" />
        <Radix.Content
          {...useReturnFocus()}
          aria-describedby={undefined}
          className="fixed inset-x-4 top-24 z-dialog mx-auto max-w-dialog-m animate-dialog-in overflow-hidden rounded-panel border border-float-line bg-raised text-ink shadow-float max-sm:top-4"
        >
          <Radix.Title className="sr-only">Search or run a command</Radix.Title>
          <Command label="Search or run a command" loop shouldFilter={false}>
            <Command.Input
              placeholder="Search or run a command"
              value={typed}
              onValueChange={type}
              className="h-12 w-full border-b-2 border-line bg-raised px-4 text-input outline-hidden focus-visible:border-focus"
            />
            <Command.List className="max-h-list overflow-y-auto p-1">
              <Command.Empty className="p-4 text-muted">Nothing matches.</Command.Empty>
              {matchGroups(groups, typed).map(({ heading, items }) => (
                <Command.Group key={heading} heading={heading} className={group}>
                  {items.map(item => (
                    <Command.Item
                      key={item.id}
                      value={item.id}
                      onSelect={() => {
                        change(false)
                        item.onSelect()
                      }}
                      className="flex min-h-control cursor-default items-center gap-2 rounded-tag px-2 data-[selected=true]:bg-hover"
                    >
                      {item.icon}
                      <span className="min-w-0 grow truncate">{item.label}</span>
                      {item.hint && <span className="text-muted">{item.hint}</span>}
                      {item.shortcut && <Kbd>{item.shortcut}</Kbd>}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
