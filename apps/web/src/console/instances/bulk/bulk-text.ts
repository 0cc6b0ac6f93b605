/** Acts on several instances in words: how many each is for, what it costs or gives back, and how it ended. */
import { isInTerm, returnsMicro } from '@ingot/contracts/instance-costs'
import { type Instance, type InstanceAction, whyNot } from '@ingot/contracts/instances'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { formatMoney, formatRate } from '../../../ui/format.ts'

export const bulkActs = [
  'start',
  'queue',
  'stop',
  'restart',
  'delete',
  'snooze',
  'endSnooze',
  'autoShutdown',
] as const
export type BulkAct = (typeof bulkActs)[number]

/** What an act asks of an instance's status. */
const asks: Record<BulkAct, InstanceAction> = {
  start: 'start',
  queue: 'start',
  stop: 'stop',
  restart: 'restart',
  delete: 'delete',
  snooze: 'stop',
  endSnooze: 'edit',
  autoShutdown: 'edit',
}

/** Those that it can be done to now. */
export const eligible = (act: BulkAct, instances: readonly Instance[]): readonly Instance[] =>
  instances.filter(({ status }) => whyNot(asks[act], status) === null)

const words: Record<BulkAct, { readonly now: string; readonly done: string }> = {
  start: { now: 'Starting', done: 'started' },
  queue: { now: 'Queueing', done: 'in the queue' },
  stop: { now: 'Stopping', done: 'stopped' },
  restart: { now: 'Restarting', done: 'restarted' },
  delete: { now: 'Deleting', done: 'deleted' },
  snooze: { now: 'Keeping on', done: 'kept on' },
  endSnooze: { now: 'Letting them stop by themselves again', done: 'may stop by themselves again' },
  autoShutdown: { now: 'Changing auto-shutdown', done: 'changed' },
}

/** Why none of the selected can be acted on so; null where one can. */
export const whyNone = (act: BulkAct, instances: readonly Instance[]): string | null =>
  eligible(act, instances).length > 0
    ? null
    : (instances.map(({ status }) => whyNot(asks[act], status)).find(Boolean) ?? 'Select instances first.')

/** `Stopping: 2 of 5 are done.` */
export const progressText = (act: BulkAct, done: number, total: number): string =>
  `${words[act].now}: ${done} of ${total} ${done === 1 ? 'is' : 'are'} done.`

/** `3 of 4 stopped.` */
export const resultText = (act: BulkAct, done: number, total: number): string =>
  `${done === total ? (total === 1 ? '1' : `All ${total}`) : `${done} of ${total}`} ${words[act].done}.`

const hourly = (instances: readonly Instance[], now: Date): bigint =>
  instances
    .filter(instance => !isInTerm(instance, now))
    .reduce((sum, { hourly_cost }) => sum + parseUsd(hourly_cost), 0n)

const inTerm = (instances: readonly Instance[], now: Date): number =>
  instances.filter(instance => isInTerm(instance, now)).length

const those = (count: number): string => (count === 1 ? 'the one' : `the ${count}`)

/** What starting and stopping the selected changes, by the hour, and what becomes of their cards. */
export function costText(instances: readonly Instance[], now: Date): string {
  const [starts, stops] = [eligible('start', instances), eligible('stop', instances)]
  const parts: string[] = []
  if (starts.length > 0)
    parts.push(
      `Starting ${those(starts.length)} costs ${formatRate(formatUsd(hourly(starts, now)))} per hour.`,
    )
  if (stops.length > 0) {
    const kept = inTerm(stops, now)
    const cards =
      kept === 0
        ? 'Their GPUs go back: others may take them while they are stopped.'
        : kept === stops.length
          ? 'Their GPUs stay reserved until their terms end.'
          : `${kept} within a term keep their GPUs; those of the others go back.`
    parts.push(
      `Stopping ${those(stops.length)} saves ${formatRate(formatUsd(hourly(stops, now)))} per hour. ${cards}`,
    )
  }
  return parts.join(' ')
}

/** What deleting them takes away and returns. */
export function deleteTexts(instances: readonly Instance[], now: Date): readonly string[] {
  const count = instances.length
  const running = instances.filter(({ status }) => status === 'running').length
  const aside = instances.reduce((sum, { queue }) => sum + (queue ? parseUsd(queue.set_aside) : 0n), 0n)
  const returns = instances.reduce((sum, instance) => sum + returnsMicro(instance, now), 0n)
  const moves = instances.some(({ status, paid_until }) => status === 'running' || paid_until !== null)
  const terms = inTerm(instances, now)
  return [
    `${count === 1 ? '1 instance and its disk' : `${count} instances and their disks`} will be gone. This cannot be undone.`,
    running > 0 &&
      `${running === 1 ? '1 of them runs' : `${running} of them run`}: what runs there ends now.`,
    instances.some(({ network_volume_id }) => network_volume_id !== null) && 'Network volumes stay.',
    aside > 0n && `${formatMoney(formatUsd(aside))} that is set aside returns to your balance.`,
    returns > 0n
      ? `${moves ? 'About ' : ''}${formatMoney(formatUsd(returns))} of what you paid for them returns to your wallet.`
      : 'Nothing of what you paid for them is left to return.',
    terms > 0 &&
      `${terms === 1 ? '1 is' : `${terms} are`} within a term: the time held is charged at the hourly price, never more than was paid.`,
  ].filter(text => text !== false)
}
