import type { Instance } from '@ingot/contracts/instances'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { type AutoShutdownChoice, autoShutdownInput } from '../auto-shutdown.ts'
import { AutoShutdownField } from '../AutoShutdownField.tsx'
import { curlFor } from '../command-text.ts'
import { useKeepInstance } from '../use-instance-actions.ts'
import { snoozeUntil } from './idle-text.ts'
import { IdlePanel } from './IdlePanel.tsx'
import { Schedules } from './Schedules.tsx'
import { serviceNow } from './SnoozeControl.tsx'

/** What an instance does by itself. Each section saves alone. */
export function SettingsTab({ instance }: { readonly instance: Instance }) {
  const { id } = instance
  const keep = useKeepInstance()
  const [opened] = useState(serviceNow)
  const save = useMutation({
    mutationFn: (choice: AutoShutdownChoice) => api.instances.update({ id, ...autoShutdownInput(choice) }),
    onSuccess: updated => {
      keep(updated)
      toast.success('Instance updated successfully!')
    },
    onError: error => toast.error(errorText(error)),
  })
  return (
    <div className="flex max-w-prose flex-col gap-8 pt-4">
      <AutoShutdownField
        present={instance}
        choice={save.isPending ? save.variables : undefined}
        onChoice={choice => choice !== undefined && save.mutate(choice)}
      />
      <IdlePanel id={id} />
      <CommandBlock
        label="The same as commands"
        commands={[
          {
            tool: 'Keep on',
            text: curlFor(location.origin, 'snooze', { id, until: snoozeUntil('hour', opened) }),
          },
          { tool: 'Let stop', text: curlFor(location.origin, 'endSnooze', { id }) },
          {
            tool: 'Auto-shutdown',
            text: curlFor(location.origin, 'update', {
              id,
              auto_shutdown_enabled: instance.auto_shutdown_enabled,
              auto_shutdown_minutes: instance.auto_shutdown_minutes,
            }),
          },
        ]}
        onCopied={() => toast.success('Copied to clipboard')}
      />
      <Schedules id={id} />
    </div>
  )
}
