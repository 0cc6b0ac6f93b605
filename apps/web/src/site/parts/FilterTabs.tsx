interface FilterTabsProps {
  readonly label: string
  readonly tabs: readonly { readonly id: string; readonly label: string }[]
}

/**
 * Categories of a list. Without a script each is a link to its part of the page; islands/filter.ts makes filters of
 * them and keeps the choice in the address.
 */
export function FilterTabs({ label, tabs }: FilterTabsProps) {
  return (
    <nav
      aria-label={label}
      data-island="filter"
      className="-mx-1 flex flex-wrap gap-x-1 gap-y-1 border-b border-line pb-2"
    >
      <a href="#all" data-filter="all" aria-current="true" className={tabClass}>
        All
      </a>
      {tabs.map(tab => (
        <a key={tab.id} href={`#${tab.id}`} data-filter={tab.id} className={tabClass}>
          {tab.label}
        </a>
      ))}
    </nav>
  )
}

const tabClass =
  'flex h-8 items-center rounded-control px-3 font-medium text-muted hover:bg-hover hover:text-ink aria-[current]:bg-selected aria-[current]:text-ink pointer-coarse:h-touch'
