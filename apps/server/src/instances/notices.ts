/** What users are told about their instances: a trigger on the fact queues it (`notice_event`). */
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

export const instanceNotices = { start_failed: startFailed, lost, ended }
