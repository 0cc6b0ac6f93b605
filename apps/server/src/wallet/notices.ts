/**
 * What users are told about their balance, and about what it no longer pays for: `note_balances` and `settle_wallets` queue
 * it. An empty balance is told by what it ended, whatever kind that is of.
 */
import { moneyText, parseUsd } from '@ingot/contracts/money'
import { balanceThresholds } from '@ingot/contracts/wallet'
import { readable } from '../auth/letters/letters.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface BalanceItem extends NoticeItem {
  readonly balance: string
}

/** What an older version queued knows the time alone. */
interface EndingItem extends BalanceItem {
  readonly empty_at: string
  /** What the wallet needs for the next 24 hours. */
  readonly day?: string
  /** The first of what ends then. */
  readonly ends?: readonly Ended[] | null
  /** How many more do. */
  readonly more?: number
  /** What ends is a month that is not covered: the rest runs on. */
  readonly is_month?: boolean
}

const time = (iso: string) => readable(new Date(iso))
const dollars = (usd: string, rounds: 'up' | 'down' = 'down') => moneyText(parseUsd(usd), rounds)
const switches = '"Usage alerts" is'
const path = '/console/billing'

const balanceLow: NoticeKind<BalanceItem> = {
  wantsMail: settings => settings.usage_alerts,
  mail(items) {
    const { at, balance } = items.at(-1)!
    return {
      subject: `Your Ingot balance is below $${balanceThresholds.good}`,
      text: `Your balance was ${dollars(balance)} on ${time(at)}. What runs draws on it. When it is used up, instances stop; their disks are kept.`,
      todo: 'Add funds in time',
      path,
      switches,
    }
  },
}

/** Something that the money ran out for. */
interface Ended {
  readonly name: string
  /** None in what an older version queued. */
  readonly noun?: string
}
interface EndedItem extends Ended, NoticeItem {
  /** When it ends for good, unless its month is paid before. */
  readonly ends_at?: string | null
}

const namesInText = 3

const quoted = ({ name }: Ended) => `"${name}"`
const which = (items: readonly EndedItem[]) => {
  const nouns = new Set(items.map(({ noun = 'Instance' }) => noun))
  const noun = nouns.size === 1 ? [...nouns][0]! : 'Resource'
  return items.length === 1 ? `${noun} ${quoted(items[0]!)}` : `${items.length} ${noun.toLowerCase()}s`
}
const someNames = (items: readonly EndedItem[]) => {
  const more = items.length - namesInText
  return `${items.slice(0, namesInText).map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** `Thu 26 November 2026, 14:32 UTC` */
const dayAndTime = (iso: string) =>
  `${new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' }).format(new Date(iso))} ${time(iso)}`

const whatEnds = ({ ends, more = 0, is_month }: EndingItem) => {
  if (!ends?.length) return 'Then instances stop; their disks are kept.'
  const names = `${ends.map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return is_month
    ? `It does not cover the next month of ${names}, which lapses then; the rest runs on.`
    : `Then ${names} ${ends.length + more === 1 ? 'stops' : 'stop'}; disks are kept.`
}
const whatADayCosts = ({ day, balance }: EndingItem) => {
  if (!day) return ''
  const missing = parseUsd(day) - parseUsd(balance)
  return ` To go on for 24 hours takes ${dollars(day, 'up')}${missing > 0n ? `: ${moneyText(missing, 'up')} more than there is` : ''}.`
}

/** Balance and what is prepaid end within a time, and what ends then. */
const ending = (within: string): NoticeKind<EndingItem> => ({
  wantsMail: settings => settings.usage_alerts,
  mail(items) {
    const item = items.at(-1)!
    return {
      subject: `Your Ingot balance will be used up within ${within}`,
      text: `Your balance was ${dollars(item.balance)} on ${time(item.at)}. With what runs now, it and what is prepaid last until ${dayAndTime(item.empty_at)}. ${whatEnds(item)}${whatADayCosts(item)}`,
      todo: 'Add funds, or stop what you do not need',
      path,
      switches,
    }
  },
  sms(items) {
    const item = items.at(-1)!
    return {
      text: `your balance of ${dollars(item.balance)} and what is prepaid last until ${dayAndTime(item.empty_at)}. ${whatEnds(item)}`,
      todo: 'Add funds',
      path,
    }
  },
})

const balanceEmpty: NoticeKind<EndedItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} stopped: your Ingot balance is used up`,
    text: `Your balance is used up, so it stopped:

${items.map(item => `${quoted(item)}, ${time(item.at)}`).join('\n')}

Disks are kept, and no time after that is charged.`,
    todo: 'Add funds, then start again what you need',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `your balance is used up. Stopped: ${someNames(items)}. Disks are kept.`,
    todo: 'Add funds',
    path,
  }),
}

/** The balance did not cover its next month. */
const lapsed: NoticeKind<EndedItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} lapsed: your Ingot balance does not cover the next month`,
    text: `Your balance does not cover the next month of:

${items.map(item => `${quoted(item)}, since ${time(item.at)}; it is deleted on ${time(item.ends_at!)}`).join('\n')}

As soon as your balance covers it, it goes on by itself: the month then begins when it lapsed.`,
    todo: 'Add funds before then',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `your balance does not cover the next month of ${someNames(items)}. The first is deleted on ${time(items[0]!.ends_at!)}.`,
    todo: 'Add funds',
    path,
  }),
}

interface GraceItem extends EndedItem {
  readonly ends_at: string
  /** What a month of it costs. */
  readonly month: string
}

const dayMs = 24 * 3_600_000
const daysLeft = ({ at, ends_at }: GraceItem) => {
  const days = Math.ceil((Date.parse(ends_at) - Date.parse(at)) / dayMs)
  return days === 1 ? 'a day' : `${days} days`
}

/** It lapsed some days ago, and nobody has paid yet. */
const lapseEnding: NoticeKind<GraceItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} will be deleted in ${daysLeft(items.at(-1)!)}: not paid for`,
    text: `Your balance does not cover the next month of:

${items.map(item => `${quoted(item)}, ${dollars(item.month, 'up')} a month: deleted on ${dayAndTime(item.ends_at)}, in ${daysLeft(item)}`).join('\n')}

As soon as your balance covers it, it goes on by itself, with all that is in it.`,
    todo: 'Add funds before then',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `not paid for, and deleted on ${dayAndTime(items[0]!.ends_at)}: ${someNames(items)}.`,
    todo: 'Add funds',
    path,
  }),
}

/** It lapsed, and its days of grace passed without money. */
const graceOver: NoticeKind<EndedItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject: `${which(items)} deleted: not paid for in time`,
    text: `Your balance did not cover the next month before the days of grace were over. Deleted:

${items.map(item => `${quoted(item)}, ${time(item.at)}`).join('\n')}

Nothing of that is charged any more.`,
    todo: 'See what was charged',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `not paid for in time, so it was deleted: ${someNames(items)}.`,
    todo: 'See your bill',
    path,
  }),
}

export const walletNotices = {
  balance_low: balanceLow,
  balance_ending: ending('24 hours'),
  balance_hour: ending('an hour'),
  balance_minutes: ending('10 minutes'),
  balance_empty: balanceEmpty,
  lapsed,
  lapse_ending: lapseEnding,
  grace_over: graceOver,
}
