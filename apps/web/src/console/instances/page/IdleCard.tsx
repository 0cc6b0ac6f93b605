import type { Idleness, IdleSignal } from '@ingot/contracts/instance/idle'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cx } from '../../../ui/cx.ts'
import { formatDuration } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { amountText, cellsOver, idleCells, unwatchedText } from '../settings/idle-text.ts'
import { idlenessQuery } from '../settings/queries.ts'
import { Card } from '../../../ui/Card.tsx'
import { countsNow } from './counts-now.ts'

const names: Record<IdleSignal, string> = {
  terminal: 'Terminal',
  ssh: 'SSH session',
  requests: 'Requests',
  processor: 'Processor',
  cards: 'GPU load',
}

const words: Record<Idleness['state'], string> = {
  off: 'Off',
  working: 'Not idle',
  idle: 'Idle',
  unknown: 'Unknown',
}

/** How near it is to stopping by itself, and which signs of work count now. */
export function IdleCard({ id }: { readonly id: string }) {
  const query = useQuery(idlenessQuery(id))
  const state = query.data?.state
  return (
    <Card
      title="Idle clock"
      className="max-lg:order-4"
      aside={
        state && (
          <span className={cx('font-medium', state === 'working' ? 'text-ok' : 'text-muted')}>
            {words[state]}
          </span>
        )
      }
    >
      <QueryView
        query={query}
        failed="Whether it is idle could not be loaded"
        consequence="It stops by itself all the same."
        skeleton={<Skeleton className="h-24" />}
      >
        {idleness => <Clock id={id} idleness={idleness} />}
      </QueryView>
    </Card>
  )
}

function Clock({ id, idleness }: { readonly id: string; readonly idleness: Idleness }) {
  const now = useNow(10_000)
  const { auto_shutdown_enabled, auto_shutdown_minutes: minutes, state, stops_at, snoozed_until } = idleness
  const over = cellsOver(idleness, now)
  return (
    <>
      {auto_shutdown_enabled && (
        <div
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          role="img"
          aria-label={`${over} of ${idleCells} parts of its ${minutes} idle minutes are over`}
          className="flex flex-col gap-1"
        >
          <span className="flex gap-1">
            {Array.from({ length: idleCells }, (_, cell) => (
              <span
                key={cell}
                className={cx(
                  'h-3 flex-1 border forced-colors:border-[CanvasText]',
                  cell < over ? 'border-line-strong bg-line-strong' : 'border-line-strong bg-sunken',
                )}
              />
            ))}
          </span>
          <span className="flex justify-between text-label font-normal text-muted tabular-nums">
            <span>0 min</span>
            <span>{minutes / 2}</span>
            <span>{minutes}: stops</span>
          </span>
        </div>
      )}
      <dl className="flex flex-col gap-1">
        {idleness.signals.map(seen => (
          <div key={seen.signal} className="flex flex-wrap justify-between gap-x-4">
            <dt className="text-muted">{names[seen.signal]}</dt>
            <dd className="ml-auto text-right tabular-nums">
              {!seen.watched ? (
                <span className="text-muted">{unwatchedText(seen)}</span>
              ) : countsNow(idleness, seen, now) ? (
                <StatusMark kind="running">
                  {amountText(seen) === null ? 'counts' : `${amountText(seen)}, counts`}
                </StatusMark>
              ) : (
                <StatusMark kind="stopped">
                  {seen.last_at === null
                    ? 'none'
                    : `quiet for ${formatDuration(Math.max(0, now.getTime() - Date.parse(seen.last_at)))}`}
                </StatusMark>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-label font-normal text-muted">
        {!auto_shutdown_enabled
          ? 'It does not stop by itself as idle.'
          : state === 'off'
            ? 'The clock goes while it runs.'
            : state === 'unknown'
              ? 'What it does cannot be read now, so nothing stops it.'
              : 'One that counts is enough. Where a figure is missing, it is not stopped.'}{' '}
        {stops_at !== null && (
          <>
            If nothing happens it stops on <Time at={stops_at} exact />.{' '}
          </>
        )}
        {snoozed_until !== null && (
          <>
            Kept on until <Time at={snoozed_until} exact />.{' '}
          </>
        )}
        <Link to="/console/instances/$id/settings" params={{ id }} className="link">
          Change
        </Link>
      </p>
    </>
  )
}
