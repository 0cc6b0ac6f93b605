/** What customers are told of their tickets by mail; the link leads back to the ticket. */
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface TicketItem extends NoticeItem {
  readonly id: string
  readonly title: string
}

const switches = '"Email notifications" is'
const pathOf = (items: readonly TicketItem[]) => `/console/support?ticket=${items.at(-1)!.id}` as const

const reply: NoticeKind<TicketItem & { readonly content: string }> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject:
      new Set(items.map(({ id }) => id)).size === 1
        ? `A reply to "${items[0]!.title}"`
        : `${items.length} replies to your tickets`,
    text: items.map(({ title, content }) => `"${title}":\n\n${content}`).join('\n\n'),
    todo: 'Read it, and answer there',
    path: pathOf(items),
    switches,
  }),
}

const resolved: NoticeKind<TicketItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: items.length === 1 ? `"${items[0]!.title}" is resolved` : `${items.length} tickets are resolved`,
    text: `If that is not so, write to it again, and it is open:

${[...new Set(items.map(({ title }) => `"${title}"`))].join('\n')}`,
    todo: 'See what was done',
    path: pathOf(items),
    switches,
  }),
}

const staffPathOf = (items: readonly TicketItem[]) => `/admin/tickets?ticket=${items.at(-1)!.id}` as const
const titlesOf = (items: readonly TicketItem[]): string =>
  [...new Map(items.map(({ id, title }) => [id, title])).values()].map(title => `"${title}"`).join('\n')

/** To staff: without what was written, which is for the desk alone. */
const opened: NoticeKind<TicketItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject: items.length === 1 ? `New ticket: "${items[0]!.title}"` : `${items.length} new tickets`,
    text: `Customers have opened:\n\n${titlesOf(items)}`,
    todo: 'Read and answer there',
    path: staffPathOf(items),
    switches,
  }),
}

const personAsked: NoticeKind<TicketItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject:
      new Set(items.map(({ id }) => id)).size === 1
        ? `A person is asked for: "${items[0]!.title}"`
        : 'Customers ask for a person',
    text: `Nothing automated is written to these before one of you has:\n\n${titlesOf(items)}`,
    todo: 'Answer there',
    path: staffPathOf(items),
    switches,
  }),
}

export const supportNotices = {
  ticket_reply: reply,
  ticket_resolved: resolved,
  ticket_opened: opened,
  person_asked: personAsked,
}
