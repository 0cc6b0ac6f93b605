/**
 * Sends the notices that a user's settings want: reads the settings when a notice is due. A mail is queued by the
 * transaction that marks it told: exactly once. A text goes out before that, so a kill in between may repeat it.
 */
import type { Selectable } from 'kysely'
import type { Logger } from 'pino'
import type { SmsSender } from '../auth/letters/sms-sender.ts'
import { sendSms } from '../auth/letters/send-sms.ts'
import type { AuthSettings } from '../auth/settings.ts'
import { budgetNotices } from '../budgets/notices.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { instanceNotices } from '../instances/notices.ts'
import type { Vault } from '../vault.ts'
import { machineNotices } from '../machines/notices.ts'
import { templateNotices } from '../templates/notices.ts'
import { supportNotices } from '../support/notices.ts'
import { volumeNotices } from '../volumes/notices.ts'
import { walletNotices } from '../wallet/notices.ts'
import type { Claim, Work } from '../worker/loop.ts'
import { queueMail } from '../worker/mail.ts'
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'
import type { Signals } from '../worker/signals.ts'
import { noticeLetter, noticeText } from './notice-letters.ts'
import { getSettings } from './queries.ts'

type NoticeRow = Selectable<Tables['notice']>

/** Every kind of notice: a noun's kinds and their words are in its own room. */
const kinds: Readonly<Record<NoticeRow['kind'], NoticeKind>> = {
  ...walletNotices,
  ...budgetNotices,
  ...instanceNotices,
  ...volumeNotices,
  ...supportNotices,
  ...machineNotices,
  ...templateNotices,
}

interface MailNeeds {
  readonly vault: Vault
  readonly signals: Signals
  /** Origin of links, without a trailing slash. */
  readonly siteUrl: string
}

interface TextNeeds {
  readonly database: Database
  readonly settings: AuthSettings
  readonly sms: SmsSender | null
  readonly siteUrl: string
  readonly log: Logger
}

const maxAttempts = 4
const firstPauseMs = 60_000
/** As `queue_notice` has it. */
const apartMs = 15 * 60_000

export function noticeWork(needs: MailNeeds & TextNeeds): Work<'notice'> {
  return {
    table: 'notice',
    key: 'id',
    clock: 'real',
    concurrency: 4,
    perform: (row, claim) => (row.channel === 'mail' ? mail(needs, claim) : text(needs, row, claim)),
  }
}

const itemsOf = (row: NoticeRow) => row.items as readonly NoticeItem[]
const nothingLeft = { items: '[]', attempts: 0, due_at: null }

async function mail({ vault, siteUrl, signals }: MailNeeds, claim: Claim<'notice'>): Promise<void> {
  await claim.apply(async (tx, now) => {
    const { email, settings } = await readerOf(tx, now.user_id)
    const kind = kinds[now.kind]
    if (!email || !kind.wantsMail(settings)) return nothingLeft
    await queueMail(tx, vault, noticeLetter(email, siteUrl, kind.mail(itemsOf(now))))
    return { ...nothingLeft, sent_at: new Date().toISOString() }
  })
  signals.send('mail')
}

async function text(needs: TextNeeds, row: NoticeRow, claim: Claim<'notice'>): Promise<void> {
  const { database, siteUrl, sms, log } = needs
  const { phone, settings } = await readerOf(database.kysely, row.user_id)
  const words = kinds[row.kind].sms?.(itemsOf(row))
  if (!words || !sms || !phone || !settings.sms_notifications) {
    await claim.apply(async () => nothingLeft)
    return
  }
  const message = noticeText(siteUrl, words)
  const sent = await sendSms(needs, { to: phone, text: message, channel: 'sms' }).then(
    () => true,
    error => {
      log.warn({ err: error, notice: row.id, attempts: row.attempts + 1 }, 'a text was not sent')
      return false
    },
  )
  await claim.apply(async (_, now) => {
    const attempts = row.attempts + 1
    if (!sent && attempts < maxAttempts) return { attempts, due_at: inMs(firstPauseMs * 4 ** row.attempts) }
    // What came while it was being sent.
    const rest = itemsOf(now).slice(itemsOf(row).length)
    return {
      ...nothingLeft,
      items: JSON.stringify(rest),
      due_at: rest.length ? inMs(apartMs) : null,
      ...(sent ? { sent_at: new Date().toISOString() } : {}),
    }
  })
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Where a user can be reached: what was confirmed, nothing of an account that was deleted. */
async function readerOf(db: Db | Tx, userId: string) {
  const { email, phone, ...user } = await db
    .selectFrom('auth_user')
    .select(['email', 'email_confirmed_at', 'phone', 'phone_confirmed_at'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return {
    email: user.email_confirmed_at && email,
    phone: user.phone_confirmed_at && phone,
    settings: await getSettings(db, userId),
  }
}
