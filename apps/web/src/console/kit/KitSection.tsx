import { type ReactNode, useId } from 'react'

interface KitSectionProps {
  readonly title: string
  readonly children: ReactNode
}

export function KitSection({ title, children }: KitSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <h2 id={id} className="border-b border-line pb-2 text-heading">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** One component's states in a line, with their name. */
export function KitRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid items-start gap-x-6 gap-y-2 lg:grid-cols-6">
      <p className="pt-1 text-label text-muted">{name}</p>
      <div className="flex min-w-0 flex-wrap items-center gap-3 lg:col-span-5">{children}</div>
    </div>
  )
}
