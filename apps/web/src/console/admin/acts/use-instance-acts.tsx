import type { AdminInstance } from '@ingot/contracts/admin/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { formatHourly } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import { anyInstanceQuery, useRefreshAdmin } from '../all-queries.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

export type InstanceAct = 'start' | 'stop' | 'delete'

type Subject = Pick<AdminInstance, 'id' | 'name' | 'user_email' | 'hourly_cost'>

const words = {
  start: { title: 'Start instance', busy: 'Starting...', done: 'Instance starting...' },
  stop: { title: 'Stop instance', busy: 'Stopping...', done: 'Instance stopping...' },
  delete: { title: 'Delete instance', busy: 'Deleting...', done: 'Instance deleted successfully' },
} as const

const calls = {
  start: api.admin.startInstance,
  stop: api.admin.stopInstance,
  delete: api.admin.deleteInstance,
}

/** Start, stop and delete of any instance: each asks for a reason first. `dialog` stands wherever it is asked. */
export function useInstanceActs(onDeleted?: () => void) {
  const [asked, setAsked] = useState<{ readonly act: InstanceAct; readonly instance: Subject } | null>(null)
  const client = useQueryClient()
  const refresh = useRefreshAdmin()
  const run = useMutation({
    mutationFn: ({ act, id, reason }: { act: InstanceAct; id: string; reason: string }) =>
      calls[act]({ id, reason }),
    onSuccess: (answer, { act, id }) => {
      client.setQueryData(anyInstanceQuery(id).queryKey, answer)
      refresh()
      toast.success(words[act].done)
      setAsked(null)
      if (act === 'delete') onDeleted?.()
    },
  })
  const ask = (act: InstanceAct, instance: Subject) => {
    run.reset()
    setAsked({ act, instance })
  }
  const dialog: ReactNode = asked && (
    <ReasonDialog
      open
      onOpenChange={() => setAsked(null)}
      title={words[asked.act].title}
      confirmLabel={words[asked.act].title}
      busyLabel={words[asked.act].busy}
      danger={asked.act === 'delete'}
      busy={run.isPending}
      error={run.error && `Failed to ${asked.act} instance. ${sentence(errorText(run.error))}`}
      onConfirm={reason => run.mutate({ act: asked.act, id: asked.instance.id, reason })}
    >
      <Consequence {...asked} />
    </ReasonDialog>
  )
  return { ask, dialog }
}

function Consequence({ act, instance }: { readonly act: InstanceAct; readonly instance: Subject }) {
  const whose = instance.user_email ?? 'a deleted account'
  const name = <strong className="font-semi text-ink">{instance.name}</strong>
  switch (act) {
    case 'start':
      return (
        <p>
          {name} of {whose} starts with their money, at {formatHourly(instance.hourly_cost)}, by the rules
          that hold for them.
        </p>
      )
    case 'stop':
      return (
        <p>
          {name} of {whose} stops. What runs on it ends now; its disk stays, and it costs nothing while
          stopped.
        </p>
      )
    case 'delete':
      return (
        <p>
          {name} of {whose} and its disk will be gone. This cannot be undone. What is left of the deploy
          charge returns to their wallet, and its network volume stays.
        </p>
      )
  }
}
