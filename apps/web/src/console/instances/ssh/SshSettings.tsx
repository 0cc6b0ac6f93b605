import type { SshAccess } from '@ingot/contracts/instance/ssh'
import type { Input } from '@ingot/contracts/operation'
import type { Instance, instances } from '@ingot/contracts/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Money } from '../../../ui/Money.tsx'
import { Switch } from '../../../ui/Switch.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { KeyChoice } from '../../ssh/KeyChoice.tsx'
import { sshAccessQuery } from '../queries.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'

interface SshSettingsProps {
  readonly instance: Instance
  readonly access: SshAccess
}

function useChange(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: Omit<Input<typeof instances.changeSsh>, 'id'>) =>
      api.instances.changeSsh({ id, ...changes }),
    onSuccess: changed => client.setQueryData(sshAccessQuery(id).queryKey, changed),
  })
}

/** Which keys open it. They are saved with a button, since what a key had opened ends with it. */
export function SshKeys({ instance: { id }, access }: SshSettingsProps) {
  const [chosen, choose] = useState<readonly string[] | null | undefined>()
  const offline = useOfflineReason()
  const save = useChange(id)
  const value = chosen === undefined ? access.key_ids : chosen
  const isSame = String([value?.toSorted()]) === String([access.key_ids?.toSorted()])
  return (
    <div className="flex flex-col items-start gap-4">
      <KeyChoice value={value} onValueChange={choose} />
      {save.error && <Band tone="danger">{errorText(save.error)}</Band>}
      {!isSame && (
        <Button
          variant="primary"
          busy={save.isPending}
          busyLabel="Saving..."
          disabledReason={offline ?? (value?.length === 0 ? 'Choose a key first' : null)}
          onClick={() =>
            save.mutate(
              { key_ids: value && [...value] },
              {
                onSuccess: () => {
                  choose(undefined)
                  toast.success('SSH keys saved')
                },
              },
            )
          }
        >
          Save SSH keys
        </Button>
      )}
      <CopyCall call="instances.changeSsh" values={{ id, key_ids: value && [...value] }} />
    </div>
  )
}

export function SshStart({ instance, access }: SshSettingsProps) {
  const change = useChange(instance.id)
  const offline = useOfflineReason()
  return (
    <div className="flex flex-col gap-2">
      <Switch
        label="Offer to start it"
        hint={
          <>
            While it is stopped, whoever connects at a terminal is asked whether to start it, for{' '}
            <Money value={instance.hourly_cost} /> an hour.
          </>
        }
        checked={change.isPending ? change.variables.offers_start === true : access.offers_start}
        disabled={change.isPending || offline !== null}
        onCheckedChange={offers_start => change.mutate({ offers_start })}
      />
      {change.error && <Band tone="danger">{errorText(change.error)}</Band>}
    </div>
  )
}
