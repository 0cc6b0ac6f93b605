/** What an address says after its `?`, read and changed by name. The other names in it stay as they are. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type SearchText = Readonly<Record<string, string | undefined>>

interface ChangeOptions {
  /** A step that Back should return from: a dialog, a page. Else the present entry is replaced. */
  readonly step?: boolean
}

export type ChangeSearch = (changes: SearchText, options?: ChangeOptions) => void

/** An empty or absent value takes the name out of the address. */
export function useSearchState(): [search: SearchText, change: ChangeSearch] {
  const search: SearchText = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback<ChangeSearch>(
    (changes, { step = false } = {}) => {
      const next = (before: SearchText) =>
        Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value))
      void navigate({ to: '.', search: next, replace: !step, resetScroll: false })
    },
    [navigate],
  )
  return [search, change]
}
