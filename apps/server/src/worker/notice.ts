/**
 * A notice tells users, unasked, what happened to something of theirs, if their settings want it. Each noun has its
 * kinds and their words in its `notices.ts`; `accounts/notice-work.ts` reads the settings and sends.
 */
import type { UserSettings } from '@ingot/contracts/accounts'

/** One happening, as its row keeps it; each kind knows what else its items hold. */
export interface NoticeItem {
  readonly at: string
}

export interface NoticeText {
  readonly text: string
  /** What the link is for. */
  readonly todo: string
  readonly path:
    | '/console/billing'
    | '/console/network-volumes'
    | '/console/instances'
    | '/console/templates'
    | `/console/instances/${string}/settings`
    | `/console/support?ticket=${string}`
    | `/admin/tickets?ticket=${string}`
}

export interface NoticeMail extends NoticeText {
  readonly subject: string
  /** The switches that ask for it. */
  readonly switches: string
}

/** `items`: what happened since the last one of this kind, oldest first, at least one. */
export interface NoticeKind<Item extends NoticeItem = NoticeItem> {
  wantsMail(settings: UserSettings): boolean
  mail(items: readonly Item[]): NoticeMail
  /** Urgent kinds go to phones too. */
  sms?(items: readonly Item[]): NoticeText
}
