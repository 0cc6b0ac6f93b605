import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { Money } from '../../../ui/Money.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { useNow } from '../../../ui/use-now.ts'
import { RowLink } from '../../list/RowLink.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { stateOf, usedText } from '../../volumes/volume-text.ts'
import { useVolumeActs, type VolumeAct, whyNotVolume } from '../acts/use-volume-acts.tsx'
import { anyVolumeQuery } from '../all-queries.ts'
import { opening } from '../tabs/tab-search.ts'
import { UserLink } from '../tabs/UserLink.tsx'
import { DialogView } from './DialogView.tsx'

interface VolumeDialogProps {
  readonly id: string
  readonly onClose: () => void
}

/** One volume of anybody: its state, the instance that has it, and what may be done. */
export function VolumeDialog({ id, onClose }: VolumeDialogProps) {
  const volume = useQuery(anyVolumeQuery(id))
  const acts = useVolumeActs(onClose)
  return (
    <>
      <DialogView title="Manage Volume" noun="volume" query={volume} onClose={onClose}>
        {data => <Details volume={data} onAct={act => acts.ask(act, data)} />}
      </DialogView>
      {acts.dialog}
    </>
  )
}

interface DetailsProps {
  readonly volume: AdminVolume
  readonly onAct: (act: VolumeAct) => void
}

function Details({ volume, onAct }: DetailsProps) {
  const { id, name, instance_id, instance_name, instance_status } = volume
  const offline = useOfflineReason()
  const { kind, word, detail } = stateOf(volume, useNow(60_000))
  const button = (act: VolumeAct, label: string) => (
    <Button
      variant={act === 'delete' ? 'danger' : 'secondary'}
      disabledReason={whyNotVolume(act, volume) ?? offline}
      onClick={() => onAct(act)}
    >
      {label}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="text-heading break-words">{name}</h3>
          <UserLink id={volume.user_id} email={volume.user_email} />
          <p>
            <StatusMark kind={kind} detail={detail}>
              {word}
            </StatusMark>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {button('detach', 'Detach')}
          {button('delete', 'Delete')}
        </div>
      </div>
      {volume.status_message && <p className="text-muted">{volume.status_message}</p>}
      <PropertyList
        onCopied={what => toast.success(`${what} copied to clipboard`)}
        properties={[
          { name: 'Id', value: id, copy: id },
          {
            name: 'Instance',
            value: instance_id ? (
              <>
                <RowLink name={instance_name ?? instance_id} opens={opening('instance', instance_id)} />
                {instance_status && <span className="text-muted">, {instance_status}</span>}
              </>
            ) : (
              'attached to none'
            ),
          },
          { name: 'Used', value: usedText(volume) },
          {
            name: 'Place',
            value: `${volume.region}, ${volume.driver}${volume.hardware === 'simulated' ? ' (simulated)' : ''}`,
          },
          { name: 'Per month', value: <Money value={volume.monthly_cost} /> },
          ...(volume.renews_at
            ? [{ name: 'Next month due', value: <Time at={volume.renews_at} exact /> }]
            : []),
          ...(volume.lapsed_at
            ? [{ name: 'Not paid since', value: <Time at={volume.lapsed_at} exact /> }]
            : []),
          ...(volume.deletes_at
            ? [{ name: 'Deleted at', value: <Time at={volume.deletes_at} exact /> }]
            : []),
          { name: 'Returns if deleted now', value: <Money value={volume.returns} /> },
          { name: 'Created', value: <Time at={volume.created_at} exact /> },
        ]}
      />
    </div>
  )
}
