/**
 * Whether a message of a customer is answered now, later, or by nobody but a person. It is decided before an answer is
 * made and once more in the transaction that sends it, while the ticket is locked: what staff or the customer did
 * meanwhile counts.
 */
import { staffQuietMinutes } from '@ingot/contracts/support/ai-replies'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import type { RowOf } from '../../worker/claimable.ts'

export type ReplyRow = RowOf<'support_replies'>
type Outcome = NonNullable<Tables['support_replies']['outcome']>

export type Decision =
  | { readonly do: 'end'; readonly outcome: Outcome; readonly asksPerson: boolean }
  | { readonly do: 'wait'; readonly until: string }
  | { readonly do: 'answer'; readonly state: State }

export interface State {
  readonly title: string
  /** What the customer wrote since the last reply. */
  readonly text: string
  /** The last automated reply did not know either. */
  readonly was_unknown: boolean
}

interface Row extends State {
  readonly enabled: boolean
  readonly force_enabled: boolean
  readonly asked_person: boolean
  readonly is_answered: boolean
  readonly is_over: boolean
  readonly is_superseded: boolean
  readonly quiet_at: string | null
  readonly ticket_replies: number
  readonly customer_replies: number
  readonly service_replies: number
}

const dayMs = 86_400_000
/** A question that waited longer for staff to be away is left to them. */
const latestMs = dayMs
const mostOfTicket = 12
const mostOfCustomerADay = 30
const mostText = 4_000

export async function decide(
  db: Db | Tx,
  { message_id, ticket_id, user_id, created_at }: ReplyRow,
  { at, repliesADay }: { readonly at: string; readonly repliesADay: number },
): Promise<Decision> {
  const dayAgo = new Date(Date.parse(at) - dayMs).toISOString()
  const { rows } = await sql<Row>`
    select s.enabled, s.force_enabled, t.title, t.person_asked_at is not null as asked_person,
      t.status in ('resolved', 'closed') as is_over,
      (select max(at) from support_activity) + ${staffQuietMinutes} * interval '1 minute' as quiet_at,
      exists (select from support_messages o where o.ticket_id = t.id and o.seq > m.seq and o.sender_type = 'admin' and not o.is_automated) as is_answered,
      exists (select from support_messages o where o.ticket_id = t.id and o.seq > m.seq and o.sender_type = 'user') as is_superseded,
      (select coalesce(string_agg(o.content, ${'\n'} order by o.seq), '') from support_messages o where o.ticket_id = t.id and o.sender_type = 'user' and o.seq <= m.seq
        and o.seq > coalesce((select max(a.seq) from support_messages a where a.ticket_id = t.id and a.sender_type = 'admin' and a.seq < m.seq), 0)) as text,
      coalesce((select r.outcome = 'unknown' from support_replies r join support_messages o on o.id = r.reply_id
        where r.ticket_id = t.id order by o.seq desc limit 1), false) as was_unknown,
      (select count(*) from support_replies r where r.ticket_id = t.id and r.reply_id is not null)::int as ticket_replies,
      (select count(*) from support_replies r where r.user_id = ${user_id} and r.ended_at > ${dayAgo} and r.reply_id is not null)::int as customer_replies,
      (select count(*) from support_replies r where r.ended_at > ${dayAgo} and r.reply_id is not null)::int as service_replies
    from support_tickets t join support_messages m on m.ticket_id = t.id, ai_reply_settings s
    where t.id = ${ticket_id} and t.user_id = ${user_id} and m.id = ${message_id}`.execute(db)
  const row = rows[0]
  const end = (outcome: Outcome, asksPerson = false): Decision => ({ do: 'end', outcome, asksPerson })
  if (!row || !row.enabled) return end('off')
  if (row.asked_person) return end('person')
  if (row.is_answered || row.is_over) return end('person')
  if (row.is_superseded) return end('superseded')
  const text = row.text.slice(-mostText)
  if (wantsPerson(text)) return end('handed_over', true)
  if (!row.force_enabled && row.quiet_at !== null && row.quiet_at > at) {
    if (Date.parse(at) - Date.parse(created_at) > latestMs) return end('late')
    return { do: 'wait', until: row.quiet_at }
  }
  const isBeyond =
    row.ticket_replies >= mostOfTicket ||
    row.customer_replies >= mostOfCustomerADay ||
    row.service_replies >= repliesADay
  if (isBeyond) return end('limited', true)
  const { title, was_unknown } = row
  return { do: 'answer', state: { title, text, was_unknown } }
}

const somebody =
  '(?:humans?|persons?|people|agents?|someone|somebody|representatives?|staff|operators?|employees?|colleagues?)'
const wishes = [
  new RegExp(
    `\\b(?:talk|speak|chat|connect|transfer|escalate|forward|hand|put|pass|get|need|want|like)\\b[^.?!\\n]{0,40}\\b(?:real |actual |live |human )?${somebody}\\b`,
    'i',
  ),
  /\b(?:real|actual|live|human)\s+(?:human|person|people|agent|being|support|operator|help)\b/i,
  /\bnot\s+(?:to\s+)?(?:an?\s+|the\s+)?(?:ro)?bot\b|\b(?:stop|no)\s+(?:the\s+)?(?:automated|automatic|bot|robot|ai)\b/i,
  new RegExp(`^\\W*(?:please\\s+)?(?:an?\\s+)?${somebody}(?:\\s+please)?\\W*$`, 'i'),
]

/** Rather once too often: whoever asks for a person has one. */
export const wantsPerson = (text: string): boolean => wishes.some(wish => wish.test(text))
