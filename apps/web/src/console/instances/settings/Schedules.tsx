import { maxSchedules, type Schedule } from '@ingot/contracts/instance/schedules'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { type Command, CommandBlock } from '../../../ui/CommandBlock.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Switch } from '../../../ui/Switch.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { commandsFor, curlFor } from '../command-text.ts'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { schedulesQuery } from './queries.ts'
import { outcomeWords, scheduleText, type Weekday } from './schedule-text.ts'
import { newSchedule, ScheduleDialog } from './ScheduleDialog.tsx'

/** The times at which an instance starts and stops by itself. */
export function Schedules({ id }: { readonly id: string }) {
  const query = useQuery(schedulesQuery(id))
  const [open, setOpen] = useState<Schedule | 'new' | null>(null)
  const offline = useOfflineReason()
  const count = query.data?.items.length ?? 0
  const full = count >= maxSchedules ? `An instance has ${maxSchedules} schedules at most.` : null
  return (
    <section aria-labelledby="schedules" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="schedules" className="text-heading">
          Schedules
        </h2>
        <span className="flex flex-wrap gap-2">
          <CopyCurlButton text={commandsFor(location.origin, 'schedules', { id })[0].text} />
          {count > 0 && (
            <Button disabledReason={offline ?? full} onClick={() => setOpen('new')}>
              Add schedule
            </Button>
          )}
        </span>
      </div>
      <QueryView
        query={query}
        failed="The schedules could not be loaded"
        consequence="They are carried out all the same."
        skeleton={<SkeletonRows rows={2} columns={2} />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState
              title="It starts and stops at times of the week that you choose."
              action={
                <Button disabledReason={offline} onClick={() => setOpen('new')}>
                  Add schedule
                </Button>
              }
              command={
                <CommandBlock
                  label="The same as a command"
                  commands={commandsFor(location.origin, 'createSchedule', { id, ...newSchedule() })}
                  onCopied={() => toast.success('Copied to clipboard')}
                />
              }
            >
              There is none yet.
            </EmptyState>
          ) : (
            <>
              <ul aria-label="Schedules" className="rounded-panel border border-line bg-raised">
                {items.map(schedule => (
                  <ScheduleRow key={schedule.id} schedule={schedule} onEdit={() => setOpen(schedule)} />
                ))}
              </ul>
              <CommandBlock
                label="The first of them, as commands"
                commands={commandsOf(items[0]!)}
                onCopied={() => toast.success('Copied to clipboard')}
              />
            </>
          )
        }
      </QueryView>
      {open && (
        <ScheduleDialog
          instanceId={id}
          schedule={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  )
}

const commandsOf = ({ id: schedule_id, instance_id: id, enabled }: Schedule): [Command, Command] => [
  {
    tool: enabled ? 'Turn off' : 'Turn on',
    text: curlFor(location.origin, 'updateSchedule', { id, schedule_id, enabled: !enabled }),
  },
  { tool: 'Remove', text: curlFor(location.origin, 'deleteSchedule', { id, schedule_id }) },
]

interface ScheduleRowProps {
  readonly schedule: Schedule
  readonly onEdit: () => void
}

function ScheduleRow({ schedule, onEdit }: ScheduleRowProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const { id: schedule_id, instance_id: id, enabled } = schedule
  const text = scheduleText(schedule)
  const again = () => void client.invalidateQueries({ queryKey: ['instances'] })
  const failed = (error: unknown) => void toast.error(errorText(error))
  const turn = useMutation({
    mutationFn: (next: boolean) => api.instances.updateSchedule({ id, schedule_id, enabled: next }),
    onSettled: again,
    onError: failed,
  })
  const restore = useMutation({
    mutationFn: () =>
      api.instances.createSchedule({
        id,
        action: schedule.action,
        time: schedule.time,
        weekdays: schedule.weekdays as Weekday[],
        time_zone: schedule.time_zone,
        enabled,
      }),
    onSettled: again,
    onError: failed,
  })
  const remove = useMutation({
    mutationFn: () => api.instances.deleteSchedule({ id, schedule_id }),
    onSuccess: () =>
      toast.success('Schedule removed', { action: { label: 'Undo', onClick: () => restore.mutate() } }),
    onSettled: again,
    onError: failed,
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="min-w-0 grow sm:basis-0 max-sm:w-full">
        <Switch
          label={text}
          hint={
            <>
              {schedule.time_zone}.{' '}
              {schedule.next_at ? (
                <>
                  Next on <Time at={schedule.next_at} exact />.
                </>
              ) : (
                'Off.'
              )}
              {schedule.last_at && schedule.last_outcome && (
                <>
                  {' '}
                  Last on <Time at={schedule.last_at} exact />: {outcomeWords[schedule.last_outcome]}.
                </>
              )}
              {schedule.last_message && ` ${schedule.last_message}`}
            </>
          }
          checked={turn.isPending ? turn.variables : enabled}
          disabled={offline !== null}
          onCheckedChange={next => turn.mutate(next)}
        />
      </div>
      <span className="flex gap-2">
        <Button aria-label={`Edit: ${text}`} disabledReason={offline} onClick={onEdit}>
          Edit
        </Button>
        <Button
          aria-label={`Remove: ${text}`}
          busy={remove.isPending}
          disabledReason={offline}
          onClick={() => remove.mutate()}
        >
          Remove
        </Button>
      </span>
    </li>
  )
}
