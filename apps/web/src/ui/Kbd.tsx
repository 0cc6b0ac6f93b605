import type { ReactNode } from 'react'

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-block rounded-tag border border-line bg-raised px-1 font-sans text-label whitespace-nowrap text-muted">
      {children}
    </kbd>
  )
}
