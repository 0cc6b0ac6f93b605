/**
 * Images and logs. Their bytes tell what they are, whatever their name says; they are kept beside no message until one is
 * sent with them, and swept after a day. They are answered as files to save, in which a browser runs nothing.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { IngotError } from '@ingot/contracts/errors'
import {
  type Attachment,
  attachmentWrongType,
  maxAttachmentBytes,
  mostUnsentAttachments,
} from '@ingot/contracts/support'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Received } from '../http/bind.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Running, startRunning } from '../worker/running.ts'
import { type AttachmentRow, getAttachment, type Reader } from './queries.ts'

export async function keepAttachment(
  db: Db,
  userId: string,
  { name, sha256 }: { readonly name: string; readonly sha256: string },
  { data, length }: Received,
): Promise<Attachment> {
  if (length > maxAttachmentBytes) throw new IngotError('body_too_large')
  const parts: Buffer[] = []
  for await (const part of data) parts.push(part as Buffer)
  const content = Buffer.concat(parts)
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new IngotError('validation_failed', { fields: { sha256: 'is of other bytes than came' } })
  const media_type = typeOf(content)
  if (!media_type) throw new IngotError('validation_failed', { fields: { name: attachmentWrongType } })
  const id = newId()
  const { rows } = await sql<{ id: string }>`
    insert into support_attachments (id, user_id, name, media_type, content)
    select ${id}, ${userId}, ${name.trim()}, ${media_type}, ${content}
    where (select count(*) from support_attachments where user_id = ${userId} and message_id is null) < ${mostUnsentAttachments}
    returning id`.execute(db)
  if (!rows[0])
    throw new IngotError('invalid_state', {
      message: `At most ${mostUnsentAttachments} attachments wait for a message. Send one with them first.`,
    })
  return { id, name: name.trim(), media_type, bytes: content.length }
}

const begins = (content: Buffer, ...bytes: number[]): boolean =>
  content.length >= bytes.length && bytes.every((byte, n) => content[n] === byte)

function typeOf(content: Buffer): AttachmentRow['media_type'] | null {
  if (begins(content, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (begins(content, 0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (/^GIF8[79]a/.test(content.toString('latin1', 0, 6))) return 'image/gif'
  if (content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp'
  return isText(content) ? 'text/plain' : null
}

function isText(content: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    // A log may have colours and bells in it; zero bytes are in none.
    return text.trim() !== '' && !text.includes('\u0000')
  } catch {
    return false
  }
}

/** Those of this sender that no message has yet; any other is an error at the field. */
export async function attachTo(
  tx: Tx,
  userId: string,
  messageId: string,
  ids: readonly string[],
): Promise<void> {
  for (const [place, id] of [...new Set(ids)].entries()) {
    const { numUpdatedRows } = await tx
      .updateTable('support_attachments')
      .set({ message_id: messageId, place })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('message_id', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n)
      throw new IngotError('validation_failed', {
        fields: { attachments: `${id} is no attachment of yours that waits to be sent` },
      })
  }
}

export async function sendAttachment(db: Db, reader: Reader, id: string): Promise<Bytes> {
  const { content, media_type, name } = await getAttachment(db, reader, id)
  return { body: content, mediaType: media_type, fileName: name }
}

const everyMs = 3_600_000

interface SweepNeeds {
  readonly database: Database
  readonly log: Logger
}

export const startAttachmentSweep = ({ database, log }: SweepNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await sweepAttachments(database.kysely).catch(error =>
        log.error({ err: error }, 'attachments that were not sent were not deleted'),
      )
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** What nobody sent within a day. */
export async function sweepAttachments(db: Db): Promise<void> {
  await sql`delete from support_attachments where message_id is null and created_at < now() - interval '1 day'`.execute(
    db,
  )
}
