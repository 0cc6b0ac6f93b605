import { documents, type site } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Handlers } from '../http/bind.ts'
import { answerInquiry } from './answer-inquiry.ts'
import { apply } from './apply.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { endSubscription } from './end-subscription.ts'
import { keepInquiry } from './keep-inquiry.ts'
import { getInquiry, getInquiryFile, listInquiries } from './queries.ts'
import type { SiteServices } from './services.ts'
import { createStatus } from './status.ts'
import { subscribe } from './subscribe.ts'

export function siteRoutes(services: SiteServices): Handlers<typeof site> {
  const { vault, signals } = services
  const wakeMail = () => signals.send('mail')
  const status = createStatus(services)
  /** Nobody sees the trap, so whoever fills it in is a program; it learns nothing. */
  const trapped = (input: { readonly trap?: string }) => Boolean(input.trap)

  return {
    inquire: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      const { first_name, last_name, email, company = '', type, message } = input
      const name = `${first_name.trim()} ${last_name.trim()}`
      const subject = type[0]!.toUpperCase() + type.slice(1)
      await keepInquiry(db, services, { kind: 'contact', name, email, company, subject, message, file: null })
      afterCommit(wakeMail)
      return {}
    },
    subscribe: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await subscribe(db, services, input.email)
      afterCommit(wakeMail)
      return {}
    },
    confirmSubscription: async ({ token }, { db, afterCommit }) => {
      const confirmed = await confirmSubscription(db, services, token)
      afterCommit(wakeMail)
      return confirmed
    },
    unsubscribe: async ({ token }, { db }) => {
      await endSubscription(db, token)
      return {}
    },
    joinWaitlist: async (input, { db }) => {
      if (trapped(input)) return {}
      await sql`
        insert into site_waitlist (product, email) values (${input.product}, ${input.email.toLowerCase()})
        on conflict do nothing`.execute(db)
      return {}
    },
    apply: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      await apply(db, services, input)
      afterCommit(wakeMail)
      return {}
    },
    requestDocument: async (input, { db, afterCommit }) => {
      if (trapped(input)) return {}
      const { document, name, email, company } = input
      const subject = documents[document]
      await keepInquiry(db, services, {
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
      const inquiry = await answerInquiry(db, services, input, caller.userId)
      afterCommit(wakeMail)
      return inquiry
    },
    closeInquiry: async ({ id }, { db }) => {
      await sql`
        update site_inquiry set status = 'closed', closed_at = now() where id = ${id} and status <> 'closed'`.execute(
        db,
      )
      return getInquiry(db, id)
    },
    inquiryFile: ({ id }, { db }) => getInquiryFile(db, vault, id),
  }
}
