import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'

interface SectionProps {
  /** Also its anchor. */
  readonly id: string
  readonly title: string
  readonly lead?: ReactNode
  /** `side`: the title stands in a column of its own at the left of wide screens. */
  readonly layout?: 'stack' | 'side'
  readonly children: ReactNode
}

export function Section({ id, title, lead, layout = 'stack', children }: SectionProps) {
  const isSide = layout === 'side'
  return (
    <section
      aria-labelledby={id}
      className={cx('border-t border-line py-12 lg:py-16', isSide && 'grid gap-6 lg:grid-cols-3 lg:gap-12')}
    >
      <div className={isSide ? undefined : 'pb-6'}>
        <h2 id={id} className="text-h2-site text-balance">
          {title}
        </h2>
        {lead && <p className="mt-3 max-w-prose text-prose text-muted">{lead}</p>}
      </div>
      {isSide ? <div className="min-w-0 lg:col-span-2">{children}</div> : children}
    </section>
  )
}
