/**
 * Tells users what they were not asked about, as their settings say when it is told. A mail is queued by the transaction
 * that marks it told: exactly once. A text goes out before that, so a kill in between may repeat it.
 */
import type { UserSettings } from '@ingot/contracts/accounts'
import type { Logger } from 'pino'
import type { AuthServices } from '../auth/services.ts'
import { sendSms } from '../auth/letters/sms.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Claim, Work } from '../worker/loop.ts'
import { queueMail } from '../worker/mail.ts'
import type { Signals } from '../worker/signals.ts'
import { type NoticeItem, type NoticeKind, noticeLetter, noticeText } from './notice-letters.ts'
import { getSettings } from './settings.ts'

interface NoticeRow {
  id: string
  user_id: string
  kind: NoticeKind
  channel: 'mail' | 'sms'
  /** A list of NoticeItem; written as JSON text. */
  items: unknown
  attempts: number
  sent_at: string | null
  due_at: string | null
}

export interface NoticeServices extends Pick<
  AuthServices,
  'database' | 'vault' | 'settings' | 'sms' | 'siteUrl'
> {
  readonly signals: Signals
  readonly log: Logger
}

const maxAttempts = 4
const firstPauseMs = 60_000
/** As `queue_notice` has it. */
const apartMs = 15 * 60_000

const wantsMail: Record<NoticeKind, (settings: UserSettings) => boolean> = {
  balance_low: settings => settings.usage_alerts,
  balance_ending: settings => settings.usage_alerts,
  balance_empty: settings => settings.usage_alerts || settings.email_notifications,
  start_failed: settings => settings.email_notifications,
  lost: settings => settings.email_notifications,
}

export function noticeWork(services: NoticeServices): Work<NoticeRow> {
  return {
    topic: 'notices',
    table: 'notice',
    key: 'id',
    clock: 'real',
    concurrency: 4,
    perform: (row, claim) => (row.channel === 'mail' ? mail(services, claim) : text(services, row, claim)),
  }
}

const itemsOf = (row: NoticeRow) => row.items as readonly NoticeItem[]
const nothingLeft = { items: '[]', attempts: 0, due_at: null }

async function mail({ vault, siteUrl, signals }: NoticeServices, claim: Claim<NoticeRow>): Promise<void> {
  await claim.apply(async (tx, now) => {
    const { email, settings } = await readerOf(tx, now.user_id)
    if (!email || !wantsMail[now.kind](settings)) return nothingLeft
    await queueMail(tx, vault, noticeLetter(email, siteUrl, now.kind, itemsOf(now)))
    return { ...nothingLeft, sent_at: new Date().toISOString() }
  })
  signals.send('mail')
}

async function text(services: NoticeServices, row: NoticeRow, claim: Claim<NoticeRow>): Promise<void> {
  const { database, siteUrl, sms, log } = services
  const { phone, settings } = await readerOf(database.kysely, row.user_id)
  if (!sms || !phone || !settings.sms_notifications) {
    await claim.apply(async () => nothingLeft)
    return
  }
  const message = noticeText(siteUrl, row.kind, itemsOf(row))
  const sent = await sendSms(services, { to: phone, text: message, channel: 'sms' }).then(
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
