import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { useNow } from '../../ui/use-now.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { AttentionActions } from './AttentionActions.tsx'
import { attentionText } from './attention-text.ts'
import { attentionQuery } from './queries.ts'

const mostShown = 5
const shapes = { warn: 'attention', danger: 'failed', info: 'changing' } as const
const colours = { warn: 'text-warn', danger: 'text-danger', info: 'text-info' } as const

/** What the service finds that needs its owner, the newest first; the rest is one press away. */
export function NeedsAttention() {
  const query = useQuery(attentionQuery)
  const [isWhole, setWhole] = useState(false)
  const now = useNow(10_000).getTime()
  const total = query.data?.total ?? 0
  const items = query.data?.items.slice(0, isWhole ? undefined : mostShown) ?? []
  return (
    <section aria-labelledby="attention" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="attention" className="text-heading">
          Needs attention
        </h2>
        {total > 0 && (
          <div className="flex items-center gap-3">
            <span className="text-label text-muted">{formatCount(total)}, newest first</span>
            <CopyCall call="activity.attention" />
          </div>
        )}
      </div>
      <QueryView
        query={query}
        failed="What needs you could not be loaded"
        consequence="Your instances go on as they are."
        skeleton={<Skeleton className="h-row" />}
      >
        {() =>
          total === 0 ? (
            <p className="text-muted">Nothing needs you.</p>
          ) : (
            <ul aria-labelledby="attention" className="rounded-panel border border-line bg-raised">
              {items.map(item => {
                const text = attentionText(item, now)
                return (
                  <li
                    key={`${item.kind} ${item.instance_id} ${item.volume_id} ${item.at}`}
                    className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-1 pr-2 pl-3 first:border-t-0 max-sm:py-3"
                  >
                    <span className={`flex h-5 items-center ${colours[text.tone]}`}>
                      <StatusShape kind={shapes[text.tone]} />
                    </span>
                    <p className="min-w-0 flex-1 basis-1/2 break-words">
                      <strong className="font-semi">{text.subject}</strong>{' '}
                      <span className={colours[text.tone]}>{text.what}</span>{' '}
                      <span className="text-muted">{text.next}</span>
                    </p>
                    <AttentionActions item={item} acts={text.acts} subject={text.subject} />
                  </li>
                )
              })}
              {total > mostShown && (
                <li className="border-t border-line p-1">
                  <Button variant="ghost" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                    {isWhole ? 'The newest five' : `All ${formatCount(total)}`}
                  </Button>
                </li>
              )}
              {isWhole && total > items.length && (
                <li className="border-t border-line px-3 py-2 text-muted">
                  The newest {formatCount(items.length)} of {formatCount(total)}.
                </li>
              )}
            </ul>
          )
        }
      </QueryView>
    </section>
  )
}
