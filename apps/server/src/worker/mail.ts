/**
 * Mail, queued by the transaction it belongs to and sent afterwards (`mail-work.ts`): at least once, with growing
 * pauses, for a day. Without SMTP nothing is sent; the messages stay readable in the development inbox. Bodies hold
 * links that sign people in, so they are sealed, and dropped once SMTP has taken them.
 */
import type { Mail } from '@ingot/contracts/dev'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Once it is sent, or given up, nothing says to whom it went. */
  readonly forget?: boolean
}

export async function queueMail(tx: Tx | Db, vault: Vault, letter: Letter): Promise<void> {
  const id = newId()
  await tx
    .insertInto('mail')
    .values({
      id,
      recipient: letter.to,
      subject: letter.subject,
      body_sealed: vault.seal(letter.text, `mail:${id}`),
      forget: letter.forget ?? false,
      sent_at: null,
      last_error: null,
    })
    .execute()
}

/** Keeps a message to a phone for the inbox of a test cloud; nothing ever sends it. Returns its id. */
export async function keepSms(db: Db, vault: Vault, sms: { to: string; text: string }): Promise<string> {
  const id = newId()
  await db
    .insertInto('mail')
    .values({
      id,
      kind: 'sms',
      recipient: sms.to,
      subject: '',
      body_sealed: vault.seal(sms.text, `mail:${id}`),
      sent_at: null,
      last_error: null,
      due_at: null,
    })
    .execute()
  return id
}

const inboxSize = 200

/** The development inbox, messages to phones included: newest first, each with the links in its text. */
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
      kind: row.kind,
      to: row.recipient,
      subject: row.subject,
      text,
      links: text.match(/https?:\/\/\S+/g) ?? [],
      created_at: row.created_at,
    }
  })
}
