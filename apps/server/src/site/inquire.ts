/** A message from the contact form. */
import type { Parsed } from '@ingot/contracts/operation'
import type { site } from '@ingot/contracts/site'
import type { Tx } from '../db/database.ts'
import { keepInquiry, type KeepInquiryNeeds } from './keep-inquiry.ts'

export async function inquire(
  tx: Tx,
  needs: KeepInquiryNeeds,
  { first_name, last_name, email, company = '', type, message }: Parsed<typeof site.inquire>,
): Promise<void> {
  const name = `${first_name.trim()} ${last_name.trim()}`
  const subject = type[0]!.toUpperCase() + type.slice(1)
  await keepInquiry(tx, needs, { kind: 'contact', name, email, company, subject, message, file: null })
}
