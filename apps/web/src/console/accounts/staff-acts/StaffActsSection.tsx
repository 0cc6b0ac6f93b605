import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { rowList, Section } from '../Section.tsx'
import { actWords, byWords } from './audit-words.ts'
import { Changes } from './Changes.tsx'

/** Whatever staff did to this account, and when they looked at it: their role and reason, but not their name. */
export function StaffActsSection() {
  const { list, rows } = usePages({
    queryKey: ['accounts', 'staff-acts'],
    pageSize: 10,
    fetch: (page, options) => api.accounts.staffActs(page, options),
  })
  return (
    <Section
      id="staff"
      lead="Whatever our staff change in your account, and whenever they look at it, is written down here with the reason."
    >
      <ListFrame
        query={list}
        failed="What staff did could not be loaded"
        skeleton={<Skeleton className="h-24" />}
        isEmpty={rows.length === 0}
        empty={<p className="text-muted">Nobody of our staff has changed or looked at your account.</p>}
        more={<LoadMore list={list}>Show earlier ones</LoadMore>}
      >
        <ul className={rowList}>
          {rows.map(act => (
            <li key={act.id} className="flex flex-col gap-1 border-t border-line py-3 first:border-t-0">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <span className="font-medium">{actWords(act)}</span>
                <span className="text-label text-muted">
                  <Time at={act.at} exact />
                </span>
              </div>
              <p className="text-muted">
                {byWords[act.by]}
                {act.reason && <>. Reason: {act.reason}</>}
              </p>
              {act.changes.length > 0 && (
                <details>
                  <summary className="link w-fit cursor-pointer">What differs</summary>
                  <Changes changes={act.changes} />
                </details>
              )}
            </li>
          ))}
        </ul>
      </ListFrame>
    </Section>
  )
}
