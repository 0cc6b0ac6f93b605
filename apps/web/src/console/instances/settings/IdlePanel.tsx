import type { Idleness } from '@ingot/contracts/instance/idle'
import { useQuery } from '@tanstack/react-query'
import { cx } from '../../../ui/cx.ts'
import { formatDuration } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { commandsFor } from '../command-text.ts'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { amountText, cellsOver, idleCells, signalNames, stateText, unwatchedText } from './idle-text.ts'
import { idlenessQuery } from './queries.ts'
import { SnoozeControl } from './SnoozeControl.tsx'

interface IdlePanelProps {
  readonly id: string
  /** As the place it stands in wants it. */
  readonly heading?: 'h2' | 'h3'
}

/** What counted last, what counts here, when it stops if nothing happens, and how to put that off. */
export function IdlePanel({ id, heading: Heading = 'h2' }: IdlePanelProps) {
  const query = useQuery(idlenessQuery(id))
  return (
    <section aria-labelledby="idle" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Heading id="idle" className="text-heading">
          Idle clock
        </Heading>
        <CopyCurlButton text={commandsFor(location.origin, 'idleness', { id })[0].text} />
      </div>
      <QueryView
        query={query}
        failed="Whether it is idle could not be loaded"
        consequence="It stops by itself all the same."
        skeleton={<Skeleton className="h-24" />}
      >
        {idleness => (
          <>
            <State idleness={idleness} />
            {idleness.state !== 'off' && <SnoozeControl idleness={idleness} />}
            <Signals idleness={idleness} />
          </>
        )}
      </QueryView>
    </section>
  )
}

function State({ idleness }: { readonly idleness: Idleness }) {
  const now = useNow(1000)
  const { stops_at, last_signal, signals } = idleness
  const left = stops_at === null ? null : Date.parse(stops_at) - now.getTime()
  const last = signals.find(({ signal }) => signal === last_signal)
  const over = cellsOver(idleness, now)
  return (
    <div className="flex flex-col gap-2">
      {idleness.state !== 'off' && (
        // The sentence below says the same.
        <div aria-hidden className="flex gap-1">
          {Array.from({ length: idleCells }, (_, cell) => (
            <span
              key={cell}
              className={cx(
                'h-4 max-w-8 flex-1 border forced-colors:border-[CanvasText]',
                cell < over ? 'border-line-strong bg-line-strong' : 'border-line bg-sunken',
              )}
            />
          ))}
        </div>
      )}
      <p>
        {stateText(idleness)}
        {stops_at !== null && left !== null && (
          <>
            {' '}
            If nothing happens it stops{' '}
            {left > 0 ? (
              <>
                in {formatDuration(left)}, on <Time at={stops_at} exact />.
              </>
            ) : (
              'at the next look.'
            )}
          </>
        )}
      </p>
      {last?.last_at && (
        <p className="text-muted">
          What counted last: {signalNames[last.signal]}
          {amountText(last) && ` (${amountText(last)})`}, <Time at={last.last_at} exact />.
        </p>
      )}
    </div>
  )
}

function Signals({ idleness }: { readonly idleness: Idleness }) {
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[max-content_1fr]">
      {idleness.signals.map(seen => (
        <div key={seen.signal} className="contents">
          <dt className="text-muted">{signalNames[seen.signal]}</dt>
          <dd className={seen.watched ? undefined : 'text-subtle'}>
            {seen.watched ? (
              seen.last_at ? (
                <>
                  Counted last <Time at={seen.last_at} exact />
                  {amountText(seen) && `, ${amountText(seen)}`}
                </>
              ) : (
                'Watched; has not counted in this run'
              )
            ) : (
              unwatchedText(seen)
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
