/** A request for a document about security or compliance. */
import type { Parsed } from '@ingot/contracts/operation'
import { documents, type site } from '@ingot/contracts/site'
import type { Tx } from '../db/database.ts'
import { keepInquiry, type KeepInquiryNeeds } from './keep-inquiry.ts'

export async function requestDocument(
  tx: Tx,
  needs: KeepInquiryNeeds,
  { document, name, email, company }: Parsed<typeof site.requestDocument>,
): Promise<void> {
  await keepInquiry(tx, needs, {
    kind: 'document',
    name,
    email,
    company,
    subject: documents[document],
    message: '',
    file: null,
  })
}
