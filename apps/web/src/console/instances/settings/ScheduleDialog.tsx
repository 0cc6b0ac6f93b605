import { IngotError } from '@ingot/contracts/errors'
import type { Schedule } from '@ingot/contracts/instance/schedules'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { commandsFor } from '../command-text.ts'
import { type Weekday, weekdayNames, weekdays } from './schedule-text.ts'

interface Wish {
  readonly action: 'start' | 'stop'
  readonly time: string
  readonly weekdays: Weekday[]
  readonly time_zone: string
}

/** The evening of a working day, where the reader is. */
export const newSchedule = (): Wish => ({
  action: 'stop',
  time: '20:00',
  weekdays: [1, 2, 3, 4, 5],
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

const wishOf = ({ action, time, weekdays: days, time_zone }: Schedule): Wish => ({
  action,
  time,
  weekdays: days as Weekday[],
  time_zone,
})

interface ScheduleDialogProps {
  readonly instanceId: string
  /** Null: a new one. */
  readonly schedule: Schedule | null
  readonly onClose: () => void
}

export function ScheduleDialog({ instanceId: id, schedule, onClose }: ScheduleDialogProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const form = useId()
  const zones = useId()
  const [wish, setWish] = useState<Wish>(() => (schedule ? wishOf(schedule) : newSchedule()))
  const [isChecked, setChecked] = useState(false)
  const change = (changes: Partial<Wish>) => setWish(before => ({ ...before, ...changes }))
  const call = schedule ? { id, schedule_id: schedule.id, ...wish } : { id, ...wish }
  const save = useMutation({
    mutationFn: () =>
      schedule
        ? api.instances.updateSchedule({ id, schedule_id: schedule.id, ...wish })
        : api.instances.createSchedule({ id, ...wish }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['instances'] })
      toast.success(schedule ? 'Schedule changed' : 'Schedule added')
      onClose()
    },
  })
  const fields = save.error instanceof IngotError ? (save.error.fields ?? {}) : {}
  const noDay = wish.weekdays.length === 0 ? 'Choose at least one day' : null
  const noTime = /^\d\d:\d\d$/.test(wish.time) ? null : 'Enter a time, such as 20:00'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!noDay && !noTime) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!save.isPending}
      title={schedule ? 'Edit schedule' : 'Add schedule'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={save.isPending} disabledReason={offline}>
            {schedule ? 'Save changes' : 'Add schedule'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <RadioGroup
          legend="What happens"
          layout="cards"
          value={wish.action}
          onValueChange={action => change({ action })}
          options={[
            { value: 'start', label: 'Start', hint: 'At its price, where money and a place are there' },
            { value: 'stop', label: 'Stop', hint: 'Charged up to then; the disk stays' },
          ]}
        />
        <Field label="Time" required error={isChecked ? noTime : null}>
          <Input type="time" value={wish.time} onChange={event => change({ time: event.target.value })} />
        </Field>
        <fieldset>
          <legend className="pb-1 font-medium">Days</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-2">
            {weekdays.map(day => (
              <Checkbox
                key={day}
                label={weekdayNames[day - 1]}
                checked={wish.weekdays.includes(day)}
                onCheckedChange={isOn =>
                  change({
                    weekdays: weekdays.filter(each => (each === day ? isOn : wish.weekdays.includes(each))),
                  })
                }
              />
            ))}
          </div>
          {isChecked && noDay && (
            <p role="alert" className="pt-1 text-label text-danger">
              {noDay}
            </p>
          )}
        </fieldset>
        <Field
          label="Time zone"
          required
          hint="A time that the clocks skip in spring comes as much later; one that comes twice in autumn counts the first time."
          error={fields['time_zone'] ? `Time zone ${fields['time_zone']}` : null}
        >
          <Input
            value={wish.time_zone}
            list={zones}
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            onChange={event => change({ time_zone: event.target.value.trim() })}
          />
        </Field>
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map(zone => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
        {save.error && !fields['time_zone'] && <Band tone="danger">{errorText(save.error)}</Band>}
        <CommandBlock
          label="The same as a command"
          commands={commandsFor(location.origin, schedule ? 'updateSchedule' : 'createSchedule', call)}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </form>
    </Dialog>
  )
}
