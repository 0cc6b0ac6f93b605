/**
 * Answers messages of customers: decides, makes an answer outside of any transaction, decides again under the ticket's
 * lock and sends it with the row's end. A kill in between leaves the row, and the next claim begins anew; a message that
 * was sent is never sent again, because its end stands in the same transaction, and its mark is unique.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { AiConfig } from '../../config/ai-variables.ts'
import type { Clock } from '../../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import type { Outcome } from '../../worker/claimable.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import { askPerson } from '../update-ticket.ts'
import { readersOf, tellByMail, writeMessage } from '../write-message.ts'
import { type Answer, answerFromFacts, answerOfModel, materialOf } from './answer.ts'
import { askModel, mostTokens, type Question } from './ask-model.ts'
import { decide, type Decision, type ReplyRow, type State } from './decide.ts'
import { readFacts } from './facts.ts'
import { guard } from './guard.ts'
import { extracts, type Manual } from './manual.ts'
import { readAttached } from './read-attached.ts'

export interface ReplyNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
  readonly manual: Manual
  readonly config: { readonly ai: AiConfig }
}

type Changes = Omit<Outcome<'support_replies'>, 'due_at'>
interface Made {
  readonly answer: Answer
  readonly refused: string | null
}

/** Each answer asks for limits of the whole service, which two at once would both find free. */
const limitLock = 7_196_001
const dayMs = 86_400_000
/** After so many tries with the model, facts alone do. */
const mostAsked = 2
const fewWords = 5

export function replyWork(needs: ReplyNeeds): Work<'support_replies'> {
  const { database, clock, signals, config } = needs
  const look = (db: Tx | Database['kysely'], row: ReplyRow) =>
    decide(db, row, { at: clock.iso(), repliesADay: config.ai.repliesADay })
  return {
    table: 'support_replies',
    key: 'message_id',
    clock: 'business',
    concurrency: 4,
    async lockFirst(tx, row) {
      await sql`select from support_tickets where id = ${row.ticket_id} for no key update`.execute(tx)
    },
    async perform(row, claim) {
      const first = await look(database.kysely, row)
      const made = first.do === 'answer' ? await make(needs, row, first.state, claim) : null
      let readers: string[] = []
      await claim.apply(async tx => {
        await sql`select pg_advisory_xact_lock(${limitLock})`.execute(tx)
        const now = await look(tx, row)
        readers = await readersOf(tx, row)
        // What was waited for is there, or it was sent after all.
        if (now.do === 'answer' && !made) return { due_at: clock.iso() }
        return finish(needs, tx, row, now, made)
      })
      for (const userId of readers) signals.send(`user:${userId}`)
      signals.send('notice')
    },
  }
}

async function finish(
  needs: ReplyNeeds,
  tx: Tx,
  row: ReplyRow,
  now: Decision,
  made: Made | null,
): Promise<Outcome<'support_replies'>> {
  const at = needs.clock.iso()
  if (now.do === 'wait') return { due_at: now.until }
  const over = (changes: Changes): Outcome<'support_replies'> => ({ ...changes, ended_at: at, due_at: null })
  if (now.do === 'end') {
    if (now.asksPerson) await askPerson(tx, needs, row.user_id, row.ticket_id)
    return over({ outcome: now.outcome })
  }
  const { answer, refused } = made!
  // It does not say twice that it does not know.
  if (answer.outcome === 'unknown' && now.state.was_unknown) {
    await askPerson(tx, needs, row.user_id, row.ticket_id)
    return over({ outcome: 'handed_over', refused })
  }
  const { id, ticket } = await writeMessage(
    tx,
    needs,
    { userId: row.user_id },
    row.ticket_id,
    { type: 'admin', userId: null },
    {
      content: answer.content,
      client_id: `reply-${row.message_id}`,
      sources: answer.sources,
      facts: answer.facts,
    },
  )
  await tellByMail(tx, 'ticket_reply', ticket, at, answer.content.slice(0, 2_000))
  return over({ outcome: answer.outcome, reply_id: id, writer: answer.writer, refused })
}

async function make(
  needs: ReplyNeeds,
  row: ReplyRow,
  { title, text }: State,
  claim: Claim<'support_replies'>,
): Promise<Made> {
  const { database, config, manual, log } = needs
  const { links, lines } = await readAttached(database.kysely, row)
  const whole = [title, text, ...lines].join('\n')
  const facts = await readFacts(database.kysely, row.user_id, { question: whole, links })
  const open = await manual.open()
  const alone = [text, ...lines].join('\n')
  // A few words are about what the ticket is about.
  const asked = text.trim().split(/\s+/).length > fewWords ? [alone, whole] : [whole, alone]
  const pages = open && (extracts(open, asked[0]!) ?? extracts(open, asked[1]!))
  const material = materialOf(facts, pages ?? [])
  const fromFacts = answerFromFacts(material, pages !== null)
  const { model } = config.ai
  if (!model || material.length === 0) return { answer: fromFacts, refused: null }
  const question: Question = { title, text, lines }
  const reserved = mostTokens(question, material)
  if (!(await reserve(needs, row, reserved, model.tokensADay))) return { answer: fromFacts, refused: null }
  const written = await askModel(model, question, material, claim.stopping)
  await database.kysely
    .updateTable('support_replies')
    .set(eb => ({ tokens: eb('tokens', '+', written.tokens - reserved) }))
    .where('message_id', '=', row.message_id)
    .execute()
  if ('unknown' in written) return { answer: fromFacts, refused: null }
  const verdict = 'failed' in written ? { refused: written.failed } : guard(written.text, material)
  if ('text' in verdict) return { answer: answerOfModel(verdict.text, material), refused: null }
  log.warn({ message: row.message_id, why: verdict.refused }, 'a reply of the model was not sent')
  return { answer: fromFacts, refused: verdict.refused }
}

/** What a call can take is set aside before it is made: a kill leaves too much counted, never too little. */
async function reserve(
  { database, clock }: ReplyNeeds,
  row: ReplyRow,
  tokens: number,
  aDay: number,
): Promise<boolean> {
  const dayAgo = new Date(clock.now() - dayMs).toISOString()
  return inTransaction(database.kysely, async tx => {
    // The row before the lock of limits, as everywhere.
    const mine =
      await sql`select from support_replies where message_id = ${row.message_id} and lock_token = ${row.lock_token}
      and asked < ${mostAsked} for no key update`.execute(tx)
    if (mine.rows.length === 0) return false
    await sql`select pg_advisory_xact_lock(${limitLock})`.execute(tx)
    const { rows } = await sql`
      update support_replies set asked = asked + 1, tokens = tokens + ${tokens}
      where message_id = ${row.message_id} and ${tokens} + (
        select coalesce(sum(tokens), 0) from support_replies where created_at > ${dayAgo} and tokens > 0) <= ${aDay}
      returning message_id`.execute(tx)
    return rows.length > 0
  })
}
