/** What users are told about their balance: `note_balance` queues it. An empty balance is told by what it stopped. */
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

export const walletNotices = { balance_low: balanceLow, balance_ending: balanceEnding }
