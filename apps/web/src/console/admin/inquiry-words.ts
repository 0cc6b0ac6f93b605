/** How inquiries are named on the screen, and what the address says about which are shown. */
import { type Inquiry, type InquiryKind, type InquiryStatus, inquiryStatuses } from '@ingot/contracts/site'
import type { Tone } from '../../ui/Badge.tsx'
import { readOne } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export const kindWords: Record<InquiryKind, string> = {
  contact: 'Contact',
  application: 'Application',
  document: 'Document request',
}
export const statusWords: Record<InquiryStatus, string> = {
  open: 'Open',
  answered: 'Answered',
  closed: 'Closed',
}
export const statusTones: Record<InquiryStatus, Tone> = { open: 'warn', answered: 'ok', closed: 'neutral' }

/** `Contact, Sales`. */
export const aboutText = ({ kind, subject }: Pick<Inquiry, 'kind' | 'subject'>): string =>
  `${kindWords[kind]}, ${subject}`

export const readStatus = (search: SearchText): InquiryStatus | undefined =>
  readOne(inquiryStatuses, search['status'])
