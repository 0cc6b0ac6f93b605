import type { Idleness } from '@ingot/contracts/instance/idle'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { clockOffset } from '../../../ui/use-now.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { type SnoozeChoice, snoozeChoices, snoozeUntil, snoozeWords } from './idle-text.ts'
import { idlenessQuery } from './queries.ts'

export const serviceNow = (): Date => new Date(Date.now() + clockOffset())

/** The answer is shown at once; the list and the instance are asked for again. */
export function useSnooze(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (choice: SnoozeChoice | null) =>
      choice === null
        ? api.instances.endSnooze({ id })
        : api.instances.snooze({ id, until: snoozeUntil(choice, serviceNow()) }),
    onSuccess: idleness => {
      client.setQueryData(idlenessQuery(id).queryKey, idleness)
      void client.invalidateQueries({ queryKey: ['instances'] })
    },
    onError: error => toast.error(errorText(error)),
  })
}

/** Keeps it on for a while, idle or not. */
export function SnoozeControl({ idleness }: { readonly idleness: Idleness }) {
  const snooze = useSnooze(idleness.instance_id)
  const offline = useOfflineReason()
  if (idleness.snoozed_until !== null)
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p>
          Kept on until <Time at={idleness.snoozed_until} exact />, idle or not.
        </p>
        <Button busy={snooze.isPending} disabledReason={offline} onClick={() => snooze.mutate(null)}>
          Let it stop again
        </Button>
      </div>
    )
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="float-left pr-2 text-muted">Keep it on</legend>
      {snoozeChoices.map(choice => (
        <Button
          key={choice}
          busy={snooze.isPending && snooze.variables === choice}
          disabledReason={offline}
          onClick={() => snooze.mutate(choice)}
        >
          {snoozeWords[choice]}
        </Button>
      ))}
    </fieldset>
  )
}
