/** What users are told about their instances: a trigger on the fact queues it (`notice_event`). */
import { moneyText, parseUsd } from '@ingot/contracts/money'
import { readable } from '../auth/letters/letters.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface InstanceItem extends NoticeItem {
  readonly name: string
  /** Why it did not start, or went away; a lost machine of an older version has none. */
  readonly message?: string | null
}

const time = (iso: string) => readable(new Date(iso))
const quoted = ({ name }: InstanceItem) => `"${name}"`
const which = (items: readonly InstanceItem[]) =>
  items.length === 1 ? `Instance ${quoted(items[0]!)}` : `${items.length} instances`

const startFailed: NoticeKind<InstanceItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} did not start`,
    text: `A start failed for good, and is not tried again by itself:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message}`).join('\n')}

The attempt was not charged as running time.`,
    todo: 'Start it again, or deploy in another region or with another GPU',
    path: '/console/instances',
    switches: '"Email notifications" is',
  }),
}

/** The machine went away. */
const lost: NoticeKind<InstanceItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} stopped without being asked to`,
    text: `A machine went away by itself:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message ?? 'The machine went away.'}`).join('\n')}`,
    todo: 'Start it again',
    path: '/console/instances',
    switches: '"Email notifications" is',
  }),
}

/** A program inside the machine ended it. */
const ended: NoticeKind<InstanceItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} ended from inside`,
    text: `What ran in a machine ended it:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message}`).join('\n')}`,
    todo: 'Start it again',
    path: '/console/instances',
    switches: '"Email notifications" is',
  }),
}

interface TermItem extends NoticeItem {
  readonly name: string
  readonly ends_at: string
  readonly on_term_end: 'hourly' | 'stop'
  readonly hourly: string
}

const hourlyPrice = (usd: string) => `${moneyText(parseUsd(usd), 'up')} per hour`

/** A line of its own for each: when its term ends, and what it does and costs from then on. */
const termLine = ({ name, at, ends_at, on_term_end, hourly }: TermItem) => {
  if (Date.parse(ends_at) <= Date.parse(at))
    return `"${name}", ended on ${time(ends_at)}: it runs on, and costs ${hourlyPrice(hourly)} while it runs.`
  const then =
    on_term_end === 'stop'
      ? `it stops then. Its disk is kept; started again, it costs ${hourlyPrice(hourly)}.`
      : `it then costs ${hourlyPrice(hourly)} while it runs.`
  return `"${name}", until ${time(ends_at)}: ${then}`
}

/** Seven days and one day before the end of a term, and when it has ended and goes on by the hour. */
const termEnding: NoticeKind<TermItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject:
      items.length > 1
        ? `${new Set(items.map(({ name }) => name)).size} of your upfront terms end`
        : Date.parse(items[0]!.ends_at) <= Date.parse(items[0]!.at)
          ? `The upfront term of "${items[0]!.name}" has ended`
          : `The upfront term of "${items[0]!.name}" ends within ${withinText(items[0]!)}`,
    text: `What was paid upfront covers:

${items.map(termLine).join('\n')}`,
    todo: 'See it, or choose what becomes of it then',
    path: '/console/instances',
    switches: '"Email notifications" or "Usage alerts" is',
  }),
}
const withinText = ({ at, ends_at }: TermItem) =>
  Date.parse(ends_at) - Date.parse(at) <= 24 * 3_600_000 ? '24 hours' : '7 days'

/** It ended with its term, as was chosen. */
const termOver: NoticeKind<InstanceItem & { readonly hourly: string }> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} stopped: the upfront term has ended`,
    text: `As was chosen, it stopped at the end of its term:

${items.map(item => `${quoted(item)}, ${time(item.at)}. Started again, it costs ${hourlyPrice(item.hourly)}.`).join('\n')}

Disks are kept, and cost nothing while stopped.`,
    todo: 'Start again what you need',
    path: '/console/instances',
    switches: '"Email notifications" or "Usage alerts" is',
  }),
}

interface TurnItem extends NoticeItem {
  readonly name: string
  readonly starts: boolean
  readonly hourly: string
}

/** It waited for a place, and has one. */
const queueStarted: NoticeKind<TurnItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject:
      items.length === 1 ? `"${items[0]!.name}" has its place` : `${items.length} instances have their place`,
    text: `What waited in the queue has its turn, at the price that was shown:

${items.map(({ name, at, starts, hourly }) => `"${name}", ${time(at)}: ${starts ? `it starts, and costs ${hourlyPrice(hourly)} from when it runs, beyond what is prepaid.` : 'its place is kept for it. It does not run yet.'}`).join('\n')}`,
    todo: 'Use it, or stop it',
    path: '/console/instances',
    switches: '"Email notifications" or "Usage alerts" is',
  }),
}

/** Its money does not suffice beside what is set aside. */
const queueBlocked: NoticeKind<InstanceItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} cannot start yet, and others pass`,
    text: `It waits for a place, and keeps its turn. Until this is settled, others go before it:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message}`).join('\n')}`,
    todo: 'Add funds, raise the budget, or leave the queue',
    path: '/console/instances',
    switches: '"Email notifications" or "Usage alerts" is',
  }),
}

interface IdleItem extends InstanceItem {
  readonly id: string
  readonly minutes: number
  readonly stops_at: string
}

const settingsPath = (items: readonly IdleItem[]) =>
  new Set(items.map(({ id }) => id)).size === 1
    ? (`/console/instances/${items[0]!.id}/settings` as const)
    : '/console/instances'

/** It stops soon unless something is done in it. */
const idleSoon: NoticeKind<IdleItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} stop${items.length === 1 ? 's' : ''} soon: nothing is done in ${items.length === 1 ? 'it' : 'them'}`,
    text: `Nothing that counts as work was seen:

${items.map(item => `${quoted(item)} stops on ${time(item.stops_at)}, after ${item.minutes} minutes without activity.`).join('\n')}

Disks are kept. Whatever works in it, or something typed, keeps it on.`,
    todo: 'Keep it on for a while, or change when it stops by itself',
    path: settingsPath(items),
    switches: '"Email notifications" is',
  }),
  sms: items => ({
    text: `${which(items)} idle: stops on ${time(items[0]!.stops_at)} unless used.`,
    todo: 'Keep it on',
    path: settingsPath(items),
  }),
}

/** It was stopped by itself. */
const idleStopped: NoticeKind<InstanceItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} stopped: nothing was done in ${items.length === 1 ? 'it' : 'them'}`,
    text: `As its auto-shutdown says:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message}`).join('\n')}

Disks are kept, and cost nothing while stopped.`,
    todo: 'Start it again',
    path: '/console/instances',
    switches: '"Email notifications" is',
  }),
  sms: items => ({
    text: `${which(items)} stopped: nothing was done in ${items.length === 1 ? 'it' : 'them'}. Disks are kept.`,
    todo: 'Start it again',
    path: '/console/instances',
  }),
}

export const instanceNotices = {
  queue_started: queueStarted,
  queue_blocked: queueBlocked,
  idle_soon: idleSoon,
  idle_stopped: idleStopped,
  start_failed: startFailed,
  lost,
  ended,
  term_ending: termEnding,
  term_over: termOver,
}
