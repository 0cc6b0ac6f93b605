/** Stores what somebody sent, once, and tells them that it arrived. */
import type { InquiryKind } from '@ingot/contracts/site'
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import type { Cv } from './cv.ts'
import { arrived } from './letters.ts'
import { mayWriteTo, sentBefore } from './limits.ts'

export interface NewInquiry {
  readonly kind: InquiryKind
  readonly name: string
  readonly email: string
  readonly company: string
  readonly subject: string
  readonly message: string
  readonly file: Cv | null
}

export interface KeepInquiryNeeds {
  readonly config: Pick<Config, 'publicUrl'>
  readonly vault: Vault
}

export const fileContext = (inquiryId: string): string => `site-inquiry-file:${inquiryId}`

export async function keepInquiry(
  tx: Tx,
  { config, vault }: KeepInquiryNeeds,
  inquiry: NewInquiry,
): Promise<void> {
  const { kind, company, subject, message, file } = inquiry
  const name = inquiry.name.trim()
  const email = inquiry.email.toLowerCase()
  const fileHash = file ? createHash('sha256').update(file.bytes).digest('hex') : ''
  if (await sentBefore(tx, kind, name, email, company, subject, message, fileHash)) return

  const id = newId()
  await tx
    .insertInto('site_inquiry')
    .values({
      id,
      kind,
      name,
      email,
      company: company.trim(),
      subject,
      message,
      file_name: file?.name ?? null,
      file_type: file?.type ?? null,
      file_bytes: file?.bytes.length ?? null,
      file_sealed: file && vault.seal(file.bytes, fileContext(id)),
    })
    .execute()
  if (await mayWriteTo(tx, email))
    await queueMail(tx, vault, arrived({ to: email, siteUrl: config.publicUrl }, kind))
}
