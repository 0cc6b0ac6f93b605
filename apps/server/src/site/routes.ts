import type { site } from '@ingot/contracts/site'
import type { SiteFile } from '@ingot/contracts/site/content'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { answerInquiry } from './answer-inquiry.ts'
import { apply } from './apply.ts'
import { closeInquiry } from './close-inquiry.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { endSubscription } from './end-subscription.ts'
import { inquire } from './inquire.ts'
import { joinWaitlist } from './join-waitlist.ts'
import type { KeepInquiryNeeds } from './keep-inquiry.ts'
import { getInquiryFile, listInquiries } from './queries.ts'
import { requestDocument } from './request-document.ts'
import { sendCv } from './send-cv.ts'
import { createStatus, type StatusNeeds } from './status.ts'
import { subscribe } from './subscribe.ts'

/** What the commands behind these routes need together. */
interface SiteNeeds extends KeepInquiryNeeds, StatusNeeds {
  readonly signals: Signals
  readonly siteFile: SiteFile
}

export function siteRoutes(needs: SiteNeeds): Handlers<typeof site> {
  const { vault, signals } = needs
  const wakeMail = () => signals.send('mail')
  const status = createStatus(needs)
  /** Nobody sees the trap, so whoever fills it in is a program; it learns nothing. */
  const trapped = (input: { readonly trap?: string }) => Boolean(input.trap)

  return {
    inquire: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await inquire(db, needs, input)
      afterCommit(wakeMail)
      return {}
    },
    subscribe: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await subscribe(db, needs, input.email)
      afterCommit(wakeMail)
      return {}
    },
    confirmSubscription: async ({ token }, { db, afterCommit }) => {
      const confirmed = await confirmSubscription(db, needs, token)
      afterCommit(wakeMail)
      return confirmed
    },
    unsubscribe: async ({ token }, { db }) => {
      await endSubscription(db, token)
      return {}
    },
    joinWaitlist: async (input, { db }) => {
      if (trapped(input)) return {}
      await joinWaitlist(db, input)
      return {}
    },
    sendCv: (input, { db, body }) => sendCv(db, needs, input, body),
    apply: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await apply(db, needs, input)
      afterCommit(wakeMail)
      return {}
    },
    requestDocument: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await requestDocument(db, needs, input)
      afterCommit(wakeMail)
      return {}
    },
    status,

    inquiries: (filter, { db }) => listInquiries(db, filter),
    answerInquiry: async (input, { db, caller, afterCommit }) => {
      const inquiry = await answerInquiry(db, needs, input, caller.userId)
      afterCommit(wakeMail)
      return inquiry
    },
    closeInquiry: ({ id }, { db }) => closeInquiry(db, id),
    inquiryFile: ({ id }, { db }) => getInquiryFile(db, vault, id),
  }
}
