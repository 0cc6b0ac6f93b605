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
  readonly empty_at: string | null
}

const time = (iso: string) => readable(new Date(iso))
const dollars = (usd: string) => moneyText(parseUsd(usd), 'down')
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

const balanceEnding: NoticeKind<BalanceItem> = {
  wantsMail: settings => settings.usage_alerts,
  mail(items) {
    const { at, balance, empty_at } = items.at(-1)!
    return {
      subject: 'Your Ingot balance will be used up within 24 hours',
      text: `Your balance was ${dollars(balance)} on ${time(at)}. With what runs now, it and what is prepaid last until ${time(empty_at!)}. Then instances stop; their disks are kept.`,
      todo: 'Add funds, or stop what you do not need',
      path,
      switches,
    }
  },
  sms(items) {
    const { balance, empty_at } = items.at(-1)!
    return {
      text: `your balance of ${dollars(balance)} and what is prepaid last until ${time(empty_at!)}. Then instances stop.`,
      todo: 'Add funds',
      path,
    }
  },
}

/** Something that the money ran out for. */
interface EndedItem extends NoticeItem {
  readonly name: string
  /** None in what an older version queued. */
  readonly noun?: string
  /** When it ends for good, unless its month is paid before. */
  readonly ends_at?: string | null
}

const namesInText = 3

const quoted = ({ name }: EndedItem) => `"${name}"`
const which = (items: readonly EndedItem[]) => {
  const nouns = new Set(items.map(({ noun = 'Instance' }) => noun))
  const noun = nouns.size === 1 ? [...nouns][0]! : 'Resource'
  return items.length === 1 ? `${noun} ${quoted(items[0]!)}` : `${items.length} ${noun.toLowerCase()}s`
}
const someNames = (items: readonly EndedItem[]) => {
  const more = items.length - namesInText
  return `${items.slice(0, namesInText).map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

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
  balance_ending: balanceEnding,
  balance_empty: balanceEmpty,
  lapsed,
  grace_over: graceOver,
}
