/** How a status looks: the spec's word always, and a mark that also tells a stop nobody asked for. */
import type { Instance, InstanceStatus } from '@ingot/contracts/instances'
import type { Progress } from '@ingot/contracts/instance/places'
import { formatBytes } from '../../ui/format.ts'
import type { StatusKind } from '../../ui/StatusShape.tsx'

export const statusWords: Record<InstanceStatus, string> = {
  running: 'Running',
  stopped: 'Stopped',
  starting: 'Starting',
  stopping: 'Stopping',
  terminated: 'Deleted',
}

const kinds: Record<InstanceStatus, StatusKind> = {
  running: 'running',
  stopped: 'stopped',
  starting: 'changing',
  stopping: 'changing',
  terminated: 'gone',
}

interface Reason {
  readonly kind: StatusKind
  /** In the row; the whole sentence is in the details. */
  readonly short: string
  readonly tone: 'text-warn' | 'text-danger' | 'text-muted'
}

const reasons: Record<NonNullable<Instance['status_reason']>, Reason> = {
  balance_empty: { kind: 'attention', short: 'balance empty', tone: 'text-warn' },
  budget_reached: { kind: 'attention', short: 'budget used up', tone: 'text-warn' },
  start_failed: { kind: 'failed', short: 'start failed', tone: 'text-danger' },
  idle: { kind: 'stopped', short: 'stopped as idle', tone: 'text-muted' },
  ended: { kind: 'attention', short: 'ended from inside', tone: 'text-warn' },
  crash_loop: { kind: 'failed', short: 'command keeps ending', tone: 'text-danger' },
  term_over: { kind: 'stopped', short: 'term ended', tone: 'text-muted' },
  lost: { kind: 'failed', short: 'machine lost', tone: 'text-danger' },
  queued: { kind: 'stopped', short: 'in the queue', tone: 'text-muted' },
  stop_failed: { kind: 'failed', short: 'stop failed, tried again', tone: 'text-danger' },
  restart_failed: { kind: 'failed', short: 'restart failed, tried again', tone: 'text-danger' },
  maintenance: { kind: 'attention', short: 'host maintained', tone: 'text-warn' },
  volume_lapsed: { kind: 'attention', short: 'volume not paid', tone: 'text-warn' },
  suspended: { kind: 'stopped', short: 'account was suspended', tone: 'text-muted' },
  delete_failed: { kind: 'failed', short: 'delete failed, tried again', tone: 'text-danger' },
}
const whileStopping: readonly Instance['status_reason'][] = ['stop_failed', 'restart_failed', 'delete_failed']

/** Why it stands where nobody put it; null when all is as asked. */
export const reasonOf = (instance: Pick<Instance, 'status' | 'status_reason'>): Reason | null =>
  instance.status_reason &&
  (instance.status === 'stopped' ||
    (instance.status === 'stopping' && whileStopping.includes(instance.status_reason)))
    ? reasons[instance.status_reason]
    : null

/** One that waits needs its owner only where it is passed over. */
export const kindOf = (
  instance: Pick<Instance, 'status' | 'status_reason'> & Partial<Pick<Instance, 'queue'>>,
): StatusKind =>
  instance.queue?.blocked ? 'attention' : (reasonOf(instance)?.kind ?? kinds[instance.status])

/** `Pulling image: 43 % of 1.2 GB`. */
export function progressText({ done_bytes, total_bytes }: Progress): string {
  if (total_bytes === 0) return 'Pulling image'
  return `Pulling image: ${Math.floor((100 * done_bytes) / total_bytes)} % of ${formatBytes(total_bytes)}`
}
