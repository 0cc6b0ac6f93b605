import { IngotError } from '@ingot/contracts/errors'
import type { Volume } from '@ingot/contracts/volumes'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Button } from '../../../ui/Button.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import { Files } from '../../files/Files.tsx'
import { volumeSource } from '../../files/source.ts'
import { useSearchState } from '../../list/search-state.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { useTitle } from '../../shell/title.ts'
import { volumeQuery } from '../queries.ts'
import { VolumeSnapshots } from '../snapshots/VolumeSnapshots.tsx'
import { useVolumeActions } from '../use-volume-actions.ts'
import { VolumeDialogs } from '../VolumeDialogs.tsx'
import { VolumeMenu } from '../VolumeMenu.tsx'
import { VolumeNotices } from '../VolumeNotices.tsx'
import { VolumeState } from '../VolumeState.tsx'
import { formatSize, whyNot } from '../volume-text.ts'
import {
  closeVolumeDialogs,
  openVolumeDialog,
  type VolumeDialog,
  readVolumesSearch,
} from '../volumes-search.ts'
import { SpaceCard } from './SpaceCard.tsx'
import { VolumeProperties } from './VolumeProperties.tsx'

const isGone = (error: unknown) =>
  error instanceof IngotError && /^(not_found|validation_failed)$/.test(error.code)

/** One volume: how it is, who has it, what is in it, what was kept of it. */
export function VolumeScreen() {
  const { id = '' } = useParams({ strict: false })
  const [address, change] = useSearchState()
  const query = useQuery(volumeQuery(id))
  const volume = isGone(query.error) ? undefined : query.data
  useTitle(volume && `${volume.name} · Network Volumes`)
  const openOf = (dialog: VolumeDialog, of: string) => change(openVolumeDialog(dialog, of), { step: true })
  const open = (dialog: VolumeDialog) => openOf(dialog, id)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <Link to="/console/network-volumes" className="link inline-flex min-h-6 items-center self-start">
          Network Volumes
        </Link>
        <PageHeading
          lead={volume && <VolumeLine volume={volume} />}
          actions={volume && <VolumeActions volume={volume} onOpen={open} />}
        >
          {volume ? <Tape>{volume.name}</Tape> : 'Volume'}
        </PageHeading>
      </div>
      {isGone(query.error) ? (
        <EmptyState
          title="There is no such volume"
          action={
            <Link to="/console/network-volumes" className={buttonClass()}>
              All volumes
            </Link>
          }
        >
          It was deleted, or it is not yours. What was kept of it stands below the list of all volumes.
        </EmptyState>
      ) : (
        <QueryView
          query={query}
          failed="This volume cannot be shown"
          consequence="It stays as it is."
          skeleton={<Skeleton className="h-chart" />}
        >
          {shown => (
            <>
              <VolumeNotices volume={shown} />
              <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
                <div className="flex min-w-0 flex-col gap-4">
                  <SpaceCard volume={shown} onOpen={open} />
                  <div className="rounded-panel border border-line bg-raised p-4">
                    <VolumeSnapshots volume={shown} onOpen={openOf} />
                  </div>
                </div>
                <VolumeProperties volume={shown} />
              </div>
              {shown.status !== 'creating' && shown.status !== 'deleting' && (
                <section aria-labelledby="files" className="flex flex-col gap-2">
                  <h2 id="files" className="text-heading">
                    Files
                  </h2>
                  <Files key={shown.id} source={volumeSource(shown)} />
                </section>
              )}
            </>
          )}
        </QueryView>
      )}
      <VolumeDialogs open={readVolumesSearch(address).open} onClose={() => change(closeVolumeDialogs)} />
    </div>
  )
}

function VolumeLine({ volume }: { readonly volume: Volume }) {
  const { size_gb, region, hardware, instance } = volume
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <VolumeState volume={volume} />
      <span>
        {formatSize(size_gb)}
        {hardware === 'simulated' && ' simulated'}, {region}
      </span>
      {instance && (
        <span>
          Attached to{' '}
          <Link to="/console/instances/$id" params={{ id: instance.id }} className="link">
            {instance.name}
          </Link>
        </span>
      )}
    </span>
  )
}

interface VolumeActionsProps {
  readonly volume: Volume
  readonly onOpen: (dialog: VolumeDialog) => void
}

/** Attach is the primary one while nothing has it, Detach stands there while something has. */
function VolumeActions({ volume, onOpen }: VolumeActionsProps) {
  const { detach } = useVolumeActions(volume)
  const offline = useOfflineReason()
  return (
    <>
      {volume.instance && <CopyCall call="volumes.detach" values={{ id: volume.id }} />}
      {volume.instance ? (
        <Button
          busy={detach.isPending}
          busyLabel="Detaching..."
          disabledReason={whyNot('detach', volume) ?? offline}
          onClick={() => detach.mutate()}
        >
          Detach
        </Button>
      ) : (
        <Button
          variant="primary"
          disabledReason={whyNot('attach', volume) ?? offline}
          onClick={() => onOpen('attach')}
        >
          Attach to instance
        </Button>
      )}
      <VolumeMenu volume={volume} onOpen={onOpen} />
    </>
  )
}
