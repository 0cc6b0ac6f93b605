import type { ReactNode } from 'react'

/** Label tape, black on yellow: the thing you own, or one phrase of a headline. At most one block of it in view. */
export function Tape({ children }: { readonly children: ReactNode }) {
  return <span className="tape">{children}</span>
}
