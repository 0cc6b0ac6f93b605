import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { Badge } from './Badge.tsx'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly count?: number
  /** A figure beside the name, quieter than a count: how many rows it has. */
  readonly note?: string | undefined
}

interface TabsProps<Value extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  /** The address holds it, so a reload comes back to it. */
  readonly value: Value
  readonly onValueChange: (value: Value) => void
  /** At the right of the row. */
  readonly aside?: ReactNode
  /** TabPanel, one for each tab. */
  readonly children: ReactNode
}

export const tabClass =
  '-mb-px inline-flex h-control items-center gap-2 border-b-2 border-transparent font-medium whitespace-nowrap text-muted hover:text-ink aria-selected:border-accent aria-selected:text-ink forced-colors:not-aria-selected:border-b-0'

export function Tabs<Value extends string>({ label, tabs, aside, children, ...rest }: TabsProps<Value>) {
  const { value } = rest
  const list = useRef<HTMLDivElement>(null)
  // Where they do not fit side by side, the open one is in sight.
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>(`[role=tab][id$="-${CSS.escape(value)}"]`)
    if (!list.current || !open) return
    const { left, right } = list.current.getBoundingClientRect()
    const at = open.getBoundingClientRect()
    if (at.left < left) list.current.scrollLeft -= left - at.left
    else if (at.right > right) list.current.scrollLeft += at.right - right
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={next => rest.onValueChange(next as Value)}>
      <div className="flex items-center justify-between gap-4 border-b border-line">
        <Radix.List
          ref={list}
          aria-label={label}
          className="flex gap-4 overflow-x-auto overflow-y-hidden pb-px"
        >
          {tabs.map(tab => (
            <Radix.Trigger key={tab.value} value={tab.value} className={tabClass}>
              {tab.label}
              {tab.count !== undefined && <Badge count>{tab.count}</Badge>}
              {tab.note && <span className="-ml-1 font-normal text-muted tabular-nums">{tab.note}</span>}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      {children}
    </Radix.Root>
  )
}

export function TabPanel({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Radix.Content value={value} className="pt-4">
      {children}
    </Radix.Content>
  )
}
