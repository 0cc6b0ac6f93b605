/** What users are told without having asked, as mail and as a text: what happened, what to do, how to switch it off. */
import { balanceThresholds } from '@ingot/contracts/wallet'
import { readable } from '../auth/letters/letters.ts'
import type { Letter } from '../worker/mail.ts'

export interface NoticeItem {
  readonly at: string
  /** Of the instance it is about. */
  readonly name?: string
  /** Why it did not start. */
  readonly message?: string | null
  readonly balance?: string
  readonly empty_at?: string | null
}

export type NoticeKind = 'balance_low' | 'balance_ending' | 'balance_empty' | 'start_failed' | 'lost'

interface Words {
  readonly subject: string
  readonly text: string
  /** What the link is for. */
  readonly todo: string
  readonly path: '/console/billing' | '/console/instances'
  /** The switches that ask for it. */
  readonly switches: string
}

const namesInText = 3

const time = (iso: string) => readable(new Date(iso))
/** Whole cents, rounded down: what is left is never overstated. */
const dollars = (usd: string) => `$${usd.slice(0, -4)}`
const quoted = ({ name }: NoticeItem) => `"${name}"`
const which = (items: readonly NoticeItem[]) =>
  items.length === 1 ? `Instance ${quoted(items[0]!)}` : `${items.length} instances`

export function noticeLetter(
  to: string,
  siteUrl: string,
  kind: NoticeKind,
  items: readonly NoticeItem[],
): Letter {
  const { subject, text, todo, path, switches } = wordsOf(kind, items)
  return {
    to,
    subject,
    text: `${text}

${todo}:

${siteUrl}${path}

Account: ${to} at ${new URL(siteUrl).host}

You get this mail because ${switches} on. To change that:

${siteUrl}/console/settings#notifications

Ingot
`,
  }
}

function wordsOf(kind: NoticeKind, items: readonly NoticeItem[]): Words {
  const { at, balance, empty_at } = items.at(-1)!
  switch (kind) {
    case 'balance_low':
      return {
        subject: `Your Ingot balance is below $${balanceThresholds.good}`,
        text: `Your balance was ${dollars(balance!)} on ${time(at)}. What runs draws on it. When it is used up, instances stop; their disks are kept.`,
        todo: 'Add funds in time',
        path: '/console/billing',
        switches: '"Usage alerts" is',
      }
    case 'balance_ending':
      return {
        subject: 'Your Ingot balance will be used up within 24 hours',
        text: `Your balance was ${dollars(balance!)} on ${time(at)}. With what runs now, it and what is prepaid last until ${time(empty_at!)}. Then instances stop; their disks are kept.`,
        todo: 'Add funds, or stop what you do not need',
        path: '/console/billing',
        switches: '"Usage alerts" is',
      }
    case 'balance_empty':
      return {
        subject: `${which(items)} stopped: your Ingot balance is used up`,
        text: `Your balance is used up, so it stopped:

${items.map(item => `${quoted(item)}, ${time(item.at)}`).join('\n')}

Disks are kept, and no time after that is charged.`,
        todo: 'Add funds, then start again what you need',
        path: '/console/billing',
        switches: '"Email notifications" or "Usage alerts" is',
      }
    case 'start_failed':
      return {
        subject: `${which(items)} did not start`,
        text: `A start failed for good, and is not tried again by itself:

${items.map(item => `${quoted(item)}, ${time(item.at)}: ${item.message}`).join('\n')}

The attempt was not charged as running time.`,
        todo: 'Start it again, or deploy in another region or with another GPU',
        path: '/console/instances',
        switches: '"Email notifications" is',
      }
    case 'lost':
      return {
        subject: `${which(items)} stopped without being asked to`,
        text: `A machine went away by itself:

${items.map(item => `${quoted(item)}, last seen ${time(item.at)}`).join('\n')}

Time after it was last seen is not charged. Its disk is kept as far as it can be.`,
        todo: 'Start it again',
        path: '/console/instances',
        switches: '"Email notifications" is',
      }
  }
}

/** The two that are urgent. */
export function noticeText(siteUrl: string, kind: NoticeKind, items: readonly NoticeItem[]): string {
  const { balance, empty_at } = items.at(-1)!
  const more = items.length - namesInText
  const what =
    kind === 'balance_ending'
      ? `your balance of ${dollars(balance!)} and what is prepaid last until ${time(empty_at!)}. Then instances stop.`
      : `your balance is used up. Stopped: ${items.slice(0, namesInText).map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Disks are kept.`
  return `Ingot: ${what} Add funds: ${siteUrl}/console/billing (texts are switched off in Settings, Notifications)`
}
