import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import { usedText } from '../../volumes/volume-text.ts'
import { anyVolumeQuery, useRefreshAdmin } from '../all-queries.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'

export type VolumeAct = 'detach' | 'delete'

const words = {
  detach: { title: 'Detach volume', busy: 'Detaching...', done: 'Volume detached successfully' },
  delete: { title: 'Delete volume', busy: 'Deleting...', done: 'Volume deleted successfully' },
} as const
const calls = { detach: api.admin.detachVolume, delete: api.admin.deleteVolume }

/** Why it is refused now; null: it is possible. The server decides all the same. */
export function whyNotVolume(act: VolumeAct, { status, instance_id }: AdminVolume): string | null {
  if (act === 'detach') return instance_id ? null : 'Volume is not currently attached to an instance'
  return status === 'deleting' ? 'It is being deleted.' : null
}

/** Detach and delete of any volume: each asks for a reason first. */
export function useVolumeActs(onDeleted?: () => void) {
  const [asked, setAsked] = useState<{ readonly act: VolumeAct; readonly volume: AdminVolume } | null>(null)
  const client = useQueryClient()
  const refresh = useRefreshAdmin()
  const run = useMutation({
    mutationFn: ({ act, id, reason }: { act: VolumeAct; id: string; reason: string }) =>
      calls[act]({ id, reason }),
    onSuccess: (answer, { act, id }) => {
      client.setQueryData(anyVolumeQuery(id).queryKey, answer)
      refresh()
      toast.success(words[act].done)
      setAsked(null)
      if (act === 'delete') onDeleted?.()
    },
  })
  const ask = (act: VolumeAct, volume: AdminVolume) => {
    run.reset()
    setAsked({ act, volume })
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
      error={run.error && `Failed to ${asked.act} volume. ${sentence(errorText(run.error))}`}
      onConfirm={reason => run.mutate({ act: asked.act, id: asked.volume.id, reason })}
    >
      <Consequence {...asked} />
    </ReasonDialog>
  )
  return { ask, dialog }
}

function Consequence({ act, volume }: { readonly act: VolumeAct; readonly volume: AdminVolume }) {
  const whose = volume.user_email ?? 'a deleted account'
  const name = <strong className="font-semi text-ink">{volume.name}</strong>
  const instance = volume.instance_name ?? 'its instance'
  if (act === 'detach')
    return (
      <p>
        {name} of {whose} is taken off {instance}. Its data stays.
      </p>
    )
  return (
    <p>
      {name} of {whose}, {usedText(volume)}, will be gone with its data. This cannot be undone.
      {volume.instance_id && ` ${instance} uses it: it is detached first.`}
      {` ${formatMoney(volume.returns)} of its month returns to their wallet.`}
    </p>
  )
}
