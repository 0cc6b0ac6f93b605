/** What users are told about their budgets: `note_budgets` queues how much is used, `settle_wallets` what one ended. */
import { moneyText, parseUsd } from '@ingot/contracts/money'
import { readable } from '../auth/letters/letters.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface BudgetItem extends NoticeItem {
  readonly limit: string
  /** The account's, of this month: `2026-11`. */
  readonly month?: string | null
  readonly name: string | null
}
interface UsedItem extends BudgetItem {
  readonly percent: number
  readonly stops: boolean
}

const dollars = (usd: string) => moneyText(parseUsd(usd), 'down')
const monthName = (month: string) =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
const which = ({ name, month, limit }: BudgetItem) =>
  month
    ? `your account's budget of ${dollars(limit)} for ${monthName(month)}`
    : `the budget of ${dollars(limit)} for "${name}"`
const path = '/console/billing'
const switches = '"Usage alerts" is'
const line = (item: UsedItem) =>
  `${readable(new Date(item.at))}: ${item.percent}% of ${which(item)} is used.${item.stops ? ' When it is used up, what draws on it stops; disks are kept.' : ' Nothing stops for it.'}`

const budgetUsed: NoticeKind<UsedItem> = {
  wantsMail: settings => settings.usage_alerts,
  mail(items) {
    const last = items.at(-1)!
    return {
      subject: items.length === 1 ? `${last.percent}% of a budget is used` : 'More of your budgets is used',
      text: items.map(line).join('\n'),
      todo: 'See your budgets, or change them',
      path,
      switches,
    }
  },
  sms(items) {
    const last = items.at(-1)!
    return { text: `${last.percent}% of ${which(last)} is used.`, todo: 'See your budgets', path }
  },
}

const budgetReached: NoticeKind<BudgetItem> = {
  wantsMail: settings => settings.usage_alerts || settings.email_notifications,
  mail: items => ({
    subject:
      items.length === 1
        ? `"${items[0]!.name}" stopped: a budget is used up`
        : `${items.length} instances stopped: a budget is used up`,
    text: `A budget is used up, so it stopped:

${items.map(item => `"${item.name}", ${readable(new Date(item.at))}: ${which(item)}`).join('\n')}

Disks are kept, and no time after that is charged.`,
    todo: 'Raise the budget, then start again what you need',
    path,
    switches: '"Email notifications" or "Usage alerts" is',
  }),
  sms: items => ({
    text: `${which(items[0]!)} is used up. Stopped: ${items
      .slice(0, 3)
      .map(({ name }) => `"${name}"`)
      .join(', ')}${items.length > 3 ? ` and ${items.length - 3} more` : ''}. Disks are kept.`,
    todo: 'See your budgets',
    path,
  }),
}

export const budgetNotices = { budget_used: budgetUsed, budget_reached: budgetReached }
