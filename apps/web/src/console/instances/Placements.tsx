import type { Placement } from '@ingot/contracts/instance/places'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Time } from '../../ui/Time.tsx'
import { placementsQuery } from './queries.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

const shown = 4
const words: Record<Placement['outcome'], string> = {
  placed: 'Placed',
  kept: 'Kept',
  refused: 'Refused',
  waiting: 'Tried again',
  released: 'Given back',
}

/** Which places on hosts it had and was refused, the newest first. */
export function Placements({ id }: { readonly id: string }) {
  const [isOpen, open] = useState(false)
  const { data, isError, refetch } = useQuery(placementsQuery(id))
  return (
    <section>
      <div className="flex flex-wrap items-center justify-between gap-2 pb-1">
        <h3 className="text-heading">Places</h3>
        <CopyCall call="instances.placements" values={{ id }} />
      </div>
      {isError && (
        <ErrorState
          title="Its places could not be loaded"
          action={<Button onClick={() => void refetch()}>Try again</Button>}
        >
          The instance itself is not affected.
        </ErrorState>
      )}
      {data?.length === 0 && <p className="text-muted">None yet: it gets one when it starts.</p>}
      {data && data.length > 0 && (
        <ol aria-label="Places, newest first">
          {data.slice(0, isOpen ? undefined : shown).map((each, at) => (
            <li key={at} className="border-t border-line py-2 first:border-t-0">
              <p>
                <span className="font-medium">{words[each.outcome]}</span>{' '}
                <span className="text-muted">
                  <Time at={each.at} exact />
                </span>
              </p>
              <p>
                {each.message}
                {each.waited_ms > 0 && ` It took ${each.waited_ms} ms until others were out of the way.`}
              </p>
              {each.cards.length > 0 && (
                <p className="font-mono text-code break-all text-muted">{each.cards.join(', ')}</p>
              )}
            </li>
          ))}
        </ol>
      )}
      {data && data.length > shown && !isOpen && (
        <Button onClick={() => open(true)}>Show all {data.length}</Button>
      )}
    </section>
  )
}
