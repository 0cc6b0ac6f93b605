import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDuration } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { idleCheckQuery } from './queries.ts'
import { useSnooze } from './SnoozeControl.tsx'

/** More of them stand in the list alone. */
const shown = 3

/** The instances that stop soon because nothing is done in them, above the list. */
export function IdleSoon() {
  const { data } = useQuery(idleCheckQuery)
  const soon = (data?.items ?? []).filter(({ is_soon }) => is_soon)
  return soon.slice(0, shown).map(item => <One key={item.instance_id} {...item} />)
}

interface OneProps {
  readonly instance_id: string
  readonly name: string
  readonly stops_at: string
}

function One({ instance_id, name, stops_at }: OneProps) {
  const snooze = useSnooze(instance_id)
  const offline = useOfflineReason()
  const left = Date.parse(stops_at) - useNow(1000).getTime()
  return (
    <Band
      tone="warn"
      action={
        <span className="flex flex-wrap items-center gap-4">
          <Button busy={snooze.isPending} disabledReason={offline} onClick={() => snooze.mutate('hour')}>
            Keep it on for 1 hour
          </Button>
          <Link
            to="/console/instances/$id/settings"
            params={{ id: instance_id }}
            className="inline-flex min-h-6 items-center underline"
          >
            Settings of {name}
          </Link>
        </span>
      }
    >
      {name} is idle and stops {left > 0 ? <>in {formatDuration(left)}</> : 'at the next look'}.
    </Band>
  )
}
