import type { Ticket, TicketMessage } from '@ingot/contracts/support'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { Lines } from '../../ui/Card.tsx'
import { Money } from '../../ui/Money.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Time } from '../../ui/Time.tsx'
import { instanceQuery } from '../instances/queries.ts'
import { kindOf, statusWords } from '../instances/instance-status.ts'
import { LoadStrip } from '../instances/watching/LoadStrip.tsx'
import { loadsQuery } from '../instances/watching/queries.ts'
import type { Side } from './side.ts'
import { between, priorityText, statusText } from './ticket-text.ts'

interface TicketAboutProps {
  readonly side: Side
  readonly ticket: Ticket
  readonly messages: readonly TicketMessage[]
}

export function TicketAbout({ side, ticket, messages }: TicketAboutProps) {
  const { status, priority, created_at, first_reply_at, first_person_at, reopens_until } = ticket
  const { mark, word } = statusText[status]
  const instance = messages.flatMap(({ links }) => links).find(({ kind }) => kind === 'instance')
  return (
    <div className="flex flex-col gap-6">
      <section className="flex flex-col gap-2">
        <h3 className="text-heading">About this ticket</h3>
        <Lines
          lines={[
            [
              'Status',
              <StatusMark key="status" kind={mark}>
                {word}
              </StatusMark>,
            ],
            ['Priority', priorityText[priority]],
            ['Opened', <Time key="opened" at={created_at} />],
            ['First answer', first_reply_at ? between(created_at, first_reply_at) : 'None yet'],
            ['First person', first_person_at ? between(created_at, first_person_at) : 'None yet'],
            ...(reopens_until
              ? ([['Opens again until', <Time key="until" at={reopens_until} exact />]] as const)
              : []),
          ]}
        />
      </section>
      {instance && side.of === 'customer' && <InstanceNow id={instance.id} />}
      {side.of === 'customer' && (
        <section className="flex flex-col gap-1">
          <h3 className="text-heading">What support may see</h3>
          <p className="text-muted">
            This ticket, what you attach, and the address of your account. Never a disk or a key.
          </p>
        </section>
      )}
    </div>
  )
}

/** As it is now, beside what the message says of then. */
function InstanceNow({ id }: { readonly id: string }) {
  const { data } = useQuery(instanceQuery(id))
  const loads = useQuery(loadsQuery([id]))
  if (!data) return null
  return (
    <section className="flex flex-col gap-2">
      <h3 className="truncate text-heading">{data.name} now</h3>
      <Lines
        lines={[
          [
            'State',
            <StatusMark key="state" kind={kindOf(data)}>
              {statusWords[data.status]}
            </StatusMark>,
          ],
          ['GPU', `${data.gpu_count} × ${data.gpu_type}`],
          ['Cost', <Money key="cost" value={data.hourly_cost} per="h" />],
        ]}
      />
      <div className="flex flex-col gap-1">
        <span className="text-label text-muted">GPU load, last 24 hours</span>
        {loads.error ? (
          <span className="text-muted">It could not be loaded.</span>
        ) : (
          <LoadStrip
            name={data.name}
            load={loads.data?.items.find(load => load.instance_id === id)}
            together={4}
            wide
          />
        )}
      </div>
      <Link to="/console/instances/$id" params={{ id }} className={buttonClass()}>
        Open instance
      </Link>
    </section>
  )
}
