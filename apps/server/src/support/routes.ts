import type { support } from '@ingot/contracts/support'
import { appendAuditAnyway } from '../db/audit-log.ts'
import type { AiConfig } from '../config/ai-variables.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { keepAttachment, sendAttachment } from './attachments.ts'
import { createTicket } from './create-ticket.ts'
import {
  getMedianWait,
  getMessage,
  getTicket,
  getTicketsSummary,
  listMessages,
  listTickets,
} from './queries.ts'
import { getAiSettings, getAutomated, setAiSettings } from './replies/settings.ts'
import { askPerson, markRead, updateTicket } from './update-ticket.ts'
import { readersOf, tellByMail, writeMessage } from './write-message.ts'

export interface SupportNeeds {
  readonly clock: Clock
  readonly signals: Signals
  readonly config: { readonly supportHours: string | null; readonly ai: AiConfig }
}

export function supportRoutes(needs: SupportNeeds): Handlers<typeof support> {
  const { signals, clock, config } = needs
  /** After the commit everybody who reads it has news. */
  const wake = async (
    tx: Tx,
    ticket: { readonly user_id: string },
    afterCommit: (act: () => void) => void,
  ) => {
    const readers = await readersOf(tx, ticket)
    afterCommit(() => {
      for (const userId of readers) signals.send(`user:${userId}`)
      signals.send('notice')
      signals.send('support_replies')
    })
  }
  return {
    list: (input, { db, caller }) => listTickets(db, { userId: caller.userId }, input),
    summary: async (_, { db, caller }) => ({
      ...(await getTicketsSummary(db, caller.userId)),
      ...(await getAutomated(db, config.ai)),
    }),
    wait: async (_, { db }) => ({
      first_person_seconds: await getMedianWait(db, clock.iso()),
      hours: needs.config.supportHours,
    }),
    get: ({ id }, { db, caller }) => getTicket(db, { userId: caller.userId }, id),
    create: async (input, { db, caller, afterCommit }) => {
      const id = await createTicket(db, needs, caller.userId, input)
      const ticket = await getTicket(db, { userId: caller.userId }, id)
      await wake(db, ticket, afterCommit)
      return ticket
    },
    update: async ({ id, status }, { db, caller, afterCommit }) => {
      await updateTicket(db, needs, { userId: caller.userId }, id, { status })
      const ticket = await getTicket(db, { userId: caller.userId }, id)
      await wake(db, ticket, afterCommit)
      return ticket
    },
    messages: (input, { db, caller }) => listMessages(db, { userId: caller.userId }, input),
    send: async ({ id, ...wish }, { db, caller: { userId }, afterCommit }) => {
      const sent = await writeMessage(db, needs, { userId }, id, { type: 'user', userId }, wish)
      await wake(db, sent.ticket, afterCommit)
      return getMessage(db, { userId }, sent.id)
    },
    read: async ({ id, seq }, { db, caller }) => {
      await markRead(db, { userId: caller.userId }, id, seq)
      return getTicket(db, { userId: caller.userId }, id)
    },
    askPerson: async ({ id }, { db, caller, afterCommit }) => {
      await askPerson(db, needs, caller.userId, id)
      const ticket = await getTicket(db, { userId: caller.userId }, id)
      await wake(db, ticket, afterCommit)
      return ticket
    },
    attach: (input, { db, caller, body }) => keepAttachment(db, caller.userId, input, body),
    attachment: ({ id }, { db, caller }) => sendAttachment(db, { userId: caller.userId }, id),
    staffList: (input, { db }) => listTickets(db, 'staff', input),
    staffGet: ({ id }, { db }) => getTicket(db, 'staff', id),
    staffUpdate: async ({ id, ...change }, { db, caller, afterCommit }) => {
      await updateTicket(db, needs, 'staff', id, change, caller.userId)
      const ticket = await getTicket(db, 'staff', id)
      await wake(db, ticket, afterCommit)
      return ticket
    },
    staffMessages: (input, { db }) => listMessages(db, 'staff', input),
    staffSend: async ({ id, ...wish }, { db, caller: { userId }, afterCommit }) => {
      const {
        id: messageId,
        ticket,
        isRepeat,
      } = await writeMessage(db, needs, 'staff', id, { type: 'admin', userId }, wish)
      const message = await getMessage(db, 'staff', messageId)
      await appendAuditAnyway(db, {
        kind: 'ticket',
        id,
        userId: ticket.user_id,
        after: { replied: message.seq },
      })
      if (!isRepeat)
        await tellByMail(db, 'ticket_reply', ticket, clock.iso(), message.content.slice(0, 2_000))
      await wake(db, ticket, afterCommit)
      return message
    },
    staffRead: async ({ id, seq }, { db }) => {
      await markRead(db, 'staff', id, seq)
      const ticket = await getTicket(db, 'staff', id)
      await appendAuditAnyway(db, { kind: 'ticket', id, userId: ticket.user_id, after: { read: seq } })
      return ticket
    },
    staffAttachment: ({ id }, { db }) => sendAttachment(db, 'staff', id),
    getAiSettings: (_, { db }) => getAiSettings(db, config.ai, clock.iso()),
    setAiSettings: async (wish, { db, caller }) => {
      await setAiSettings(db, wish, { by: caller.userId, at: clock.iso() })
      return getAiSettings(db, config.ai, clock.iso())
    },
  }
}
