/** Opens the search (islands/search.ts). Without a script there is no search, and so no button. */
export function SearchButton({ index }: { readonly index: string }) {
  return (
    <button
      type="button"
      data-island="search"
      data-index={index}
      className="needs-script flex h-control w-full items-center justify-between gap-4 rounded-control border border-line-strong bg-raised px-3 text-body text-muted hover:bg-hover"
    >
      Search
      <kbd className="rounded-tag border border-line px-1 text-label text-muted pointer-coarse:hidden">/</kbd>
    </button>
  )
}
