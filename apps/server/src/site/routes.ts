import { documents, type site } from '@ingot/contracts/site'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { answerInquiry } from './answer-inquiry.ts'
import { apply } from './apply.ts'
import { closeInquiry } from './close-inquiry.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { endSubscription } from './end-subscription.ts'
import { joinWaitlist } from './join-waitlist.ts'
import { keepInquiry, type KeepInquiryNeeds } from './keep-inquiry.ts'
import { getInquiryFile, listInquiries } from './queries.ts'
import { createStatus, type StatusNeeds } from './status.ts'
import { subscribe } from './subscribe.ts'

/** What the commands behind these routes need together. */
export interface SiteNeeds extends KeepInquiryNeeds, StatusNeeds {
  readonly signals: Signals
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
      const { first_name, last_name, email, company = '', type, message } = input
      const name = `${first_name.trim()} ${last_name.trim()}`
      const subject = type[0]!.toUpperCase() + type.slice(1)
      await keepInquiry(db, needs, { kind: 'contact', name, email, company, subject, message, file: null })
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
    apply: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await apply(db, needs, input)
      afterCommit(wakeMail)
      return {}
    },
    requestDocument: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      const { document, name, email, company } = input
      const subject = documents[document]
      await keepInquiry(db, needs, {
        kind: 'document',
        name,
        email,
        company,
        subject,
        message: '',
        file: null,
      })
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
