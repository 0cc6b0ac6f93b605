import { formatUsd, parseUsd } from '@ingot/contracts/money'
import type { VolumeSnapshot } from '@ingot/contracts/volume/snapshots'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { formatExact, formatMoney } from '../../../ui/format.ts'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { toast } from '../../../ui/toast.ts'
import { useNow } from '../../../ui/use-now.ts'
import { api } from '../../shell/api.ts'
import { curlOf } from '../../shell/CopyCall.tsx'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { formatStored, timeUntil } from '../volume-text.ts'
import { useRefreshSnapshots } from './queries.ts'

interface SnapshotRowsProps {
  readonly label: string
  readonly snapshots: readonly VolumeSnapshot[]
  /** Of volumes that are gone: with the name of the volume. */
  readonly withVolume?: boolean
  readonly onRestore: (id: string) => void
  readonly onDelete: (id: string) => void
}

/** What was kept, newest first: when, what it was called, how much is stored, what that costs. */
export function SnapshotRows({ label, snapshots, withVolume = false, ...acts }: SnapshotRowsProps) {
  return (
    <ul aria-label={label} className="@container">
      {snapshots.map(snapshot => (
        <li
          key={snapshot.id}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-1 first:border-t-0 @min-[860px]:grid @min-[860px]:grid-cols-[112px_minmax(0,1fr)_100px_136px_auto]"
        >
          <SnapshotRow snapshot={snapshot} withVolume={withVolume} {...acts} />
        </li>
      ))}
    </ul>
  )
}

const taken = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

interface SnapshotRowProps {
  readonly snapshot: VolumeSnapshot
  readonly withVolume: boolean
  readonly onRestore: (id: string) => void
  readonly onDelete: (id: string) => void
}

function SnapshotRow({ snapshot, withVolume, onRestore, onDelete }: SnapshotRowProps) {
  const offline = useOfflineReason()
  const { id, name, volume_name, status, used_bytes, monthly_cost, created_at, lapsed_at } = snapshot
  const date = new Date(created_at)
  const unready =
    status === 'creating' ? 'It is being taken.' : status === 'deleting' ? 'It is being deleted.' : null
  const unpaid = lapsed_at === null ? null : 'Its month is not paid. Pay it first.'
  return (
    <>
      <time
        dateTime={created_at}
        title={formatExact(date)}
        className="font-semi whitespace-nowrap tabular-nums"
      >
        {taken.format(date)}
      </time>
      <span className="min-w-0 grow basis-1/2 truncate text-muted @min-[520px]:basis-0" title={name}>
        {withVolume && <span className="text-ink">{volume_name}, </span>}
        {name}
      </span>
      {status === 'available' ? (
        <span className="text-right whitespace-nowrap tabular-nums">{formatStored(used_bytes ?? 0)} GB</span>
      ) : (
        <StatusMark kind="changing">{status === 'creating' ? 'Taking' : 'Deleting'}</StatusMark>
      )}
      <span className="text-right whitespace-nowrap text-muted tabular-nums">
        {formatMoney(monthly_cost)} per month
      </span>
      <span className="flex flex-wrap items-center gap-1 @max-[860px]:-mx-3 @max-[860px]:basis-full @min-[860px]:-mr-3 @min-[860px]:justify-end">
        {lapsed_at !== null && status === 'available' && <Unpaid snapshot={snapshot} />}
        <Button
          variant="ghost"
          aria-label={`Restore as new volume: ${name}`}
          disabledReason={unready ?? unpaid ?? offline}
          onClick={() => onRestore(id)}
          className="link px-3 font-normal text-link!"
        >
          Restore as new volume
        </Button>
        <Button
          variant="ghost"
          aria-label={`Delete: ${name}`}
          disabledReason={status === 'deleting' ? unready : offline}
          onClick={() => onDelete(id)}
          className="font-normal text-danger!"
        >
          Delete
        </Button>
      </span>
      {snapshot.status_message && (
        <p className="basis-full text-label text-warn @min-[860px]:col-span-full">
          {snapshot.status_message}
        </p>
      )}
    </>
  )
}

/** It lapsed: how long it is kept, and the click that pays its month. */
function Unpaid({ snapshot: { id, name, deletes_at, monthly_cost } }: { readonly snapshot: VolumeSnapshot }) {
  const now = useNow(60_000)
  const refresh = useRefreshSnapshots()
  const offline = useOfflineReason()
  const revive = useMutation({
    mutationFn: () => api.volumes.reviveSnapshot({ id }),
    onSuccess: () => toast.success(`The month of ${name} is paid.`),
    onError: error => toast.error(`Failed to pay for the snapshot: ${errorText(error)}`),
    onSettled: refresh,
  })
  return (
    <>
      <StatusMark kind="attention">
        Unpaid{deletes_at && `, deleted in ${timeUntil(deletes_at, now)}`}
      </StatusMark>
      <Button busy={revive.isPending} disabledReason={offline} onClick={() => revive.mutate()}>
        Pay {formatMoney(monthly_cost)}
      </Button>
      <CopyCurlButton text={curlOf('volumes.reviveSnapshot', { id })} />
    </>
  )
}

/** `3, together 323.8 GB, $32.38 per month`. */
export function togetherText(snapshots: readonly VolumeSnapshot[], more: boolean): string {
  if (snapshots.length === 0) return ''
  const bytes = snapshots.reduce((sum, { used_bytes }) => sum + (used_bytes ?? 0), 0)
  const month = snapshots.reduce((sum, { monthly_cost }) => sum + parseUsd(monthly_cost), 0n)
  const of = more ? `The newest ${snapshots.length}` : String(snapshots.length)
  return `${of}, together ${formatStored(bytes)} GB, ${formatMoney(formatUsd(month))} per month`
}
