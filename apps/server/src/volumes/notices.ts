/** What users are told of their volumes beside what the ledger says of unpaid months. */
import { readable } from '../auth/letters/letters.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface VolumeItem extends NoticeItem {
  readonly name: string
}

const time = (iso: string) => readable(new Date(iso))
const path = '/console/network-volumes' as const
const which = (items: readonly VolumeItem[]) =>
  items.length === 1 ? `Volume "${items[0]!.name}"` : `${items.length} volumes`

const full: NoticeKind<VolumeItem & { readonly percent: number; readonly size_gb: number }> = {
  wantsMail: settings => settings.email_notifications || settings.usage_alerts,
  mail: items => ({
    subject: `${which(items)} ${items.length === 1 ? 'is' : 'are'} nearly full`,
    text: `Of what it holds, so much is used:

${items.map(({ name, percent, size_gb, at }) => `"${name}": ${percent} % of ${size_gb} GB, measured on ${time(at)}.`).join('\n')}

Programs that write to a full volume fail.`,
    todo: 'Delete what you do not need, or make it larger',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
}

const notMade: NoticeKind<VolumeItem & { readonly message: string }> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} could not be made`,
    text: `Nothing of it is left, and nothing was charged in the end:

${items.map(({ name, at, message }) => `"${name}", ${time(at)}: ${message}`).join('\n')}`,
    todo: 'Create it again, or in another region',
    path,
    switches: '"Email notifications" is',
  }),
}

const notTaken: NoticeKind<VolumeItem & { readonly message: string }> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject:
      items.length === 1
        ? `A snapshot of "${items[0]!.name}" could not be taken`
        : `${items.length} snapshots could not be taken`,
    text: `The volumes are as they were, and nothing was charged in the end:

${items.map(({ name, at, message }) => `"${name}", ${time(at)}: ${message}`).join('\n')}`,
    todo: 'Take it again',
    path,
    switches: '"Email notifications" is',
  }),
}

const notGrown: NoticeKind<VolumeItem & { readonly message: string }> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} could not be made larger`,
    text: `What is on it is as it was, and nothing was charged in the end:

${items.map(({ name, at, message }) => `"${name}", ${time(at)}: ${message}`).join('\n')}`,
    todo: 'Make it larger again, or restore a snapshot of it to a larger one',
    path,
    switches: '"Email notifications" is',
  }),
}

/** `name`: of the instance. */
const stopped: NoticeKind<VolumeItem & { readonly volume: string; readonly message: string }> = {
  wantsMail: settings => settings.email_notifications || settings.usage_alerts,
  mail: items => ({
    subject:
      items.length === 1
        ? `"${items[0]!.name}" stopped: the month of its volume is not paid`
        : `${items.length} instances stopped: the months of their volumes are not paid`,
    text: `A volume that is not paid for is not written to:

${items.map(({ name, at, message }) => `"${name}", ${time(at)}: ${message}`).join('\n')}

Disks and volumes are kept for now.`,
    todo: 'Add funds, or detach the volume, and start it again',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `"${items[0]!.name}" stopped: the month of its volume "${items[0]!.volume}" is not paid.`,
    todo: 'Add funds, or detach the volume',
    path,
  }),
}

export const volumeNotices = {
  volume_full: full,
  volume_failed: notMade,
  volume_stopped: stopped,
  snapshot_failed: notTaken,
  growth_failed: notGrown,
}
