import type { Instance } from '@ingot/contracts/instances'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { type AutoShutdownChoice, autoShutdownInput } from '../auto-shutdown.ts'
import { AutoShutdownField } from '../AutoShutdownField.tsx'
import { useKeepInstance } from '../use-instance-actions.ts'
import { IdlePanel } from './IdlePanel.tsx'
import { Schedules } from './Schedules.tsx'

/** What an instance does by itself. Each section saves alone. */
export function SettingsTab({ instance }: { readonly instance: Instance }) {
  const keep = useKeepInstance()
  const save = useMutation({
    mutationFn: (choice: AutoShutdownChoice) =>
      api.instances.update({ id: instance.id, ...autoShutdownInput(choice) }),
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
      <IdlePanel id={instance.id} />
      <Schedules id={instance.id} />
    </div>
  )
}
