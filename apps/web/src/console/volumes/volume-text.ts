/** How a volume is told: its state, how full it is, and why an act is not possible now. */
import { maxVolumeGb } from '@ingot/contracts/volume/prices'
import type { Volume, VolumeStatus } from '@ingot/contracts/volumes'
import { formatCount, formatDuration } from '../../ui/format.ts'
import type { StatusKind } from '../../ui/StatusShape.tsx'

const gibibyte = 2 ** 30
/** From here on the owner is warned, here and by mail. */
export const fullFrom = 0.9

const words: Record<VolumeStatus, string> = {
  creating: 'Creating',
  available: 'Available',
  'in-use': 'In use',
  deleting: 'Deleting',
}
const kinds: Record<VolumeStatus, StatusKind> = {
  creating: 'changing',
  available: 'stopped',
  'in-use': 'running',
  deleting: 'changing',
}

interface State {
  readonly kind: StatusKind
  readonly word: string
  /** Beside it: how long it takes, or when it ends. */
  readonly detail: string | null
}

export function stateOf(
  {
    status,
    lapsed_at,
    deletes_at,
    created_at,
  }: Pick<Volume, 'status' | 'lapsed_at' | 'deletes_at' | 'created_at'>,
  now: Date,
): State {
  if (lapsed_at !== null && status !== 'deleting')
    return {
      kind: 'attention',
      word: 'Read-only',
      detail: deletes_at && `deleted in ${timeUntil(deletes_at, now)}`,
    }
  return {
    kind: kinds[status],
    word: words[status],
    detail: status === 'creating' ? formatDuration(now.getTime() - Date.parse(created_at)) : null,
  }
}

export const timeUntil = (at: string, now: Date): string => formatDuration(Date.parse(at) - now.getTime())

/** `"1,000 GB"`. */
export const formatSize = (gb: number): string => `${formatCount(gb)} GB`

/** In the unit that sizes are sold in: `"941"`, `"6.4"`, `"under 0.1"`. */
export function formatStored(bytes: number): string {
  const gb = bytes / gibibyte
  if (gb === 0) return '0'
  if (gb < 0.1) return 'under 0.1'
  return gb < 100 ? String(Math.round(gb * 10) / 10) : formatCount(Math.round(gb))
}

export const shareUsed = ({ used_bytes, size_gb }: Pick<Volume, 'used_bytes' | 'size_gb'>): number =>
  Math.min(1, (used_bytes ?? 0) / (size_gb * gibibyte))

export const isNearlyFull = (volume: Pick<Volume, 'used_bytes' | 'size_gb'>): boolean =>
  shareUsed(volume) >= fullFrom

/** `"312 of 500 GB"`; from 90 percent on with the percent. */
export function usedText(volume: Pick<Volume, 'used_bytes' | 'size_gb'>): string {
  if (volume.used_bytes === null) return formatSize(volume.size_gb)
  const of = `${formatStored(volume.used_bytes)} of ${formatSize(volume.size_gb)}`
  return isNearlyFull(volume) ? `${of}, ${Math.floor(shareUsed(volume) * 100)}%` : of
}

/** Its instance may have files of it open. */
const isUp = ({ instance }: Volume): boolean =>
  instance !== null && instance.status !== 'stopped' && instance.status !== 'terminated'

const isPaid = ({ lapsed_at }: Volume): string | null =>
  lapsed_at === null ? null : 'Its month is not paid. Restore it first.'

export type VolumeAct = 'attach' | 'detach' | 'snapshot' | 'grow' | 'rename' | 'delete'

/** Why an act is refused in its present state; null: it is possible. The server decides all the same. */
export function whyNot(act: VolumeAct, volume: Volume): string | null {
  const { status, instance } = volume
  const isFixed = status === 'creating' || status === 'deleting'
  switch (act) {
    case 'attach':
      return status === 'available' ? isPaid(volume) : 'Volume must be available to attach to an instance'
    case 'detach':
      if (instance === null) return 'Volume is not currently attached to an instance'
      if (!isUp(volume)) return null
      if (instance.status !== 'running')
        return `${instance.name} is ${instance.status}. Wait until it has ended that.`
      return volume.attaches_while_running
        ? null
        : `Here a volume is detached while its instance is stopped. Stop ${instance.name} first.`
    case 'snapshot':
      if (isFixed) return 'Cannot create snapshot while volume is being created or deleted'
      if (volume.quiesce === 'stopped' && isUp(volume))
        return `Here a snapshot is taken while no instance runs with the volume. Stop ${instance!.name}, or detach the volume, first.`
      if (volume.growing) return `It is being made ${formatSize(volume.size_gb)} large. Wait until it is.`
      return isPaid(volume)
    case 'grow':
      if (isFixed) return `It is being ${status === 'creating' ? 'made' : 'deleted'}.`
      if (volume.growing) return `It is being made ${formatSize(volume.size_gb)} large.`
      if (volume.size_gb >= maxVolumeGb) return `${formatSize(maxVolumeGb)} is the largest there is.`
      if (!volume.grows_while_running && isUp(volume))
        return `Here a volume grows while no instance runs with it. Stop ${instance!.name}, or detach the volume, first.`
      return isPaid(volume)
    case 'rename':
      if (status === 'deleting') return 'It is being deleted.'
      return isUp(volume)
        ? `${instance!.name} has it mounted by its name. Stop that instance, or detach the volume, first.`
        : null
    case 'delete':
      return status === 'deleting' ? 'It is being deleted.' : null
  }
}

/** What is not as may be expected of it, in one sentence; null: nothing. */
export function caveatOf({
  hardware,
  enforces_size,
  size_gb,
}: Pick<Volume, 'hardware' | 'enforces_size' | 'size_gb'>): string | null {
  const size = formatSize(size_gb)
  if (hardware === 'simulated')
    return `Simulated: no disk stands behind it${enforces_size ? '' : `, and nothing stops a program that writes more than ${size}`}. It behaves and is paid for as a real one would be.`
  return enforces_size
    ? null
    : `Its size is not enforced in this region: nothing stops a program that writes more than ${size}.`
}

/** What a snapshot of it is priced by at first: what was last seen to be used, or all of it where nobody measures. */
export const bytesKept = ({ used_bytes, size_gb }: Pick<Volume, 'used_bytes' | 'size_gb'>): bigint =>
  BigInt(used_bytes ?? size_gb * gibibyte)
