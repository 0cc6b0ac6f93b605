/**
 * Mail, queued by the transaction it belongs to and sent afterwards: at least once, with growing pauses, for a day.
 * Without SMTP nothing is sent; the messages stay readable in the development inbox. Bodies hold links that sign people
 * in, so they are sealed, and dropped once SMTP has taken them.
 */
import type { Mail } from '@ingot/contracts/dev'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import type { Work } from './loop.ts'

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

interface MailRow {
  id: string
  recipient: string
  subject: string
  body_sealed: Buffer | null
  sent_at: string | null
  attempts: number
  last_error: string | null
  due_at: string | null
}

export async function queueMail(tx: Tx, vault: Vault, letter: Letter): Promise<void> {
  const id = newId()
  await tx
    .insertInto('mail')
    .values({
      id,
      recipient: letter.to,
      subject: letter.subject,
      body_sealed: vault.seal(letter.text, `mail:${id}`),
      sent_at: null,
      last_error: null,
    })
    .execute()
}

const firstPauseMs = 5_000
const lastPauseMs = 3_600_000
const maxAttempts = 30
const inboxSize = 200

/** The loop's work when SMTP is configured. */
export function mailWork(smtp: NonNullable<Config['smtp']>, vault: Vault): Work<MailRow> {
  const transport = createTransport(smtp.url)
  return {
    topic: 'mail',
    table: 'mail',
    key: 'id',
    clock: 'real',
    concurrency: 4,
    async perform(row, claim) {
      const failure = await transport
        .sendMail({
          from: smtp.from,
          to: row.recipient,
          subject: row.subject,
          text: vault.open(row.body_sealed!, `mail:${row.id}`).toString(),
        })
        .then(
          () => null,
          error => (error as Error).message.slice(0, 300),
        )
      const attempts = row.attempts + 1
      await claim.apply(async () => {
        if (failure === null)
          return {
            due_at: null,
            attempts,
            sent_at: new Date().toISOString(),
            body_sealed: null,
            last_error: null,
          }
        const pause = Math.min(lastPauseMs, firstPauseMs * 2 ** row.attempts)
        return {
          attempts,
          last_error: failure,
          due_at: attempts < maxAttempts ? new Date(Date.now() + pause).toISOString() : null,
        }
      })
    },
  }
}

/** The development inbox: newest first, each with the links in its text. */
export async function listMail(db: Db, vault: Vault): Promise<Mail[]> {
  const rows = await db
    .selectFrom('mail')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(inboxSize)
    .execute()
  return rows.map(row => {
    const text = row.body_sealed ? vault.open(row.body_sealed, `mail:${row.id}`).toString() : ''
    return {
      id: row.id,
      to: row.recipient,
      subject: row.subject,
      text,
      links: text.match(/https?:\/\/\S+/g) ?? [],
      created_at: row.created_at,
    }
  })
}
