import { type ReactNode, useId } from 'react'

interface CardProps {
  readonly title: string
  /** At the right of the title. */
  readonly aside?: ReactNode
  /** Where it stands on a phone, where both columns are one. */
  readonly className: string
  readonly children: ReactNode
}

export function Card({ title, aside, className, children }: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-raised p-4 ${className}`}
    >
      <div className="flex min-h-control flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="text-heading">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

interface LinesProps {
  readonly lines: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names at the left, figures at the right. */
export function Lines({ lines }: LinesProps) {
  return (
    <dl className="flex flex-col gap-1">
      {lines.map(([name, value]) => (
        <div key={name} className="flex flex-wrap justify-between gap-x-4">
          <dt className="text-muted">{name}</dt>
          <dd className="ml-auto min-w-0 text-right break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
