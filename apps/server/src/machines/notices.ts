/** What customers are told of the maintenance of hosts that they have something on. */
import { readable } from '../auth/letters/letters.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface Names {
  readonly names: readonly string[]
  readonly more: number
}

interface HostItem extends NoticeItem {
  readonly drain_at: string | null
  readonly reason: string
  readonly stops?: Names
  readonly rests?: Names
  readonly volumes?: Names
  readonly has_term: boolean
}

interface StoppedItem extends NoticeItem {
  readonly name: string
  readonly reason: string
  readonly is_term: boolean
}

const time = (iso: string) => readable(new Date(iso))
const switches = '"Email notifications" is'
const list = ({ names, more }: Names) =>
  `${names.map(name => `"${name}"`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
const countOf = (names: Names | undefined) => (names ? names.names.length + names.more : 0)
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
const whenOf = (item: HostItem) => time(item.drain_at ?? item.at)

const plannedText = (item: HostItem): string =>
  [
    `A computer that you have something on is maintained from ${whenOf(item)} on: ${item.reason}`,
    item.stops && `Stops then: ${list(item.stops)}. It is charged up to that moment and not beyond.`,
    item.rests && `Cannot start until the maintenance is over: ${list(item.rests)}.`,
    item.volumes &&
      `Volumes that are kept there: ${list(item.volumes)}. They stay where they are, with all that is on them; their months run on.`,
    'Disks are kept. What stops does not start again by itself: we tell you when it can.',
    item.has_term && 'A term that is paid upfront ends later, by as long as it could not be used.',
    'To work on meanwhile, copy what you need and deploy another instance: it gets a place on another computer.',
  ]
    .filter(Boolean)
    .join('\n\n')

const planned: NoticeKind<HostItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => {
    const item = items.at(-1)!
    const stops = countOf(item.stops)
    return {
      subject: `Maintenance on ${whenOf(item)}${stops > 0 ? `: ${counted(stops, 'instance')} of yours will stop` : ''}`,
      text: items.map(plannedText).join('\n\n'),
      todo: 'See your instances',
      path: '/console/instances',
      switches,
    }
  },
  sms: items => ({
    text: `Maintenance on ${whenOf(items.at(-1)!)}: ${counted(countOf(items.at(-1)!.stops), 'instance')} of yours will stop. Disks are kept.`,
    todo: 'See them',
    path: '/console/instances',
  }),
}

const off: NoticeKind<HostItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: 'The maintenance that we announced does not take place',
    text: items
      .map(item => `The maintenance on ${whenOf(item)} is off: nothing of yours stops for it.`)
      .join('\n'),
    todo: 'See your instances',
    path: '/console/instances',
    switches,
  }),
}

const stopped: NoticeKind<StoppedItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject:
      items.length === 1
        ? `Instance "${items[0]!.name}" stopped for maintenance`
        : `${items.length} instances stopped for maintenance`,
    text: `Stopped because their computer is maintained, and charged up to then:

${items.map(({ name, at, reason, is_term }) => `"${name}", ${time(at)}: ${reason}${is_term ? ' Its term ends later, by as long as it cannot be used.' : ''}`).join('\n')}

Disks are kept, and cost nothing while stopped. We tell you when it can start again.`,
    todo: 'See your instances',
    path: '/console/instances',
    switches,
  }),
}

const over: NoticeKind<HostItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: 'The maintenance is over: what was stopped can start again',
    text: items
      .map(item =>
        [
          'The computer that keeps what follows is open again. Nothing starts by itself.',
          item.stops && `Instances: ${list(item.stops)}.`,
          item.rests && `Stopped instances: ${list(item.rests)}.`,
          item.volumes && `Volumes: ${list(item.volumes)}.`,
        ]
          .filter(Boolean)
          .join('\n\n'),
      )
      .join('\n\n'),
    todo: 'Start again what you need',
    path: '/console/instances',
    switches,
  }),
}

export const machineNotices = {
  maintenance_planned: planned,
  maintenance_off: off,
  maintenance_stopped: stopped,
  maintenance_over: over,
}
