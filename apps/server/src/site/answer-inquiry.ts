/** Mails an administrator's answer. Several may follow each other until the inquiry is closed. */
import { IngotError } from '@ingot/contracts/errors'
import type { Inquiry } from '@ingot/contracts/site'
import type { Config } from '../config.ts'
import { appendAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import { answer } from './letters.ts'
import { getInquiry } from './queries.ts'

export async function answerInquiry(
  tx: Tx,
  { config, vault }: { config: Pick<Config, 'publicUrl'>; vault: Vault },
  input: { readonly id: string; readonly text: string },
  answeredBy: string,
): Promise<Inquiry> {
  // Locked: an inquiry that is being closed meanwhile gets no answer.
  await tx.selectFrom('site_inquiry').select('id').where('id', '=', input.id).forNoKeyUpdate().execute()
  const inquiry = await getInquiry(tx, input.id)
  if (inquiry.status === 'closed')
    throw new IngotError('invalid_state', { message: 'This inquiry is closed' })
  await tx
    .insertInto('site_answer')
    .values({ id: newId(), inquiry_id: input.id, text: input.text, answered_by: answeredBy })
    .execute()
  await tx.updateTable('site_inquiry').set({ status: 'answered' }).where('id', '=', input.id).execute()
  await appendAudit(tx, {
    kind: 'inquiry',
    id: input.id,
    userId: null,
    before: { status: inquiry.status },
    after: { status: 'answered', answer: 'sent' },
  })
  const about = { subject: inquiry.subject, message: inquiry.message, sentAt: inquiry.created_at }
  await queueMail(tx, vault, answer({ to: inquiry.email, siteUrl: config.publicUrl }, about, input.text))
  return getInquiry(tx, input.id)
}
