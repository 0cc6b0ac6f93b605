/** What waits for a decision, in words. */
import type { Decision } from '@ingot/contracts/admin/overview'
import type { StatusKind } from '../../../ui/StatusShape.tsx'
import { reasonText } from '../acts/payment-text.ts'

export const kindWords: Record<Decision['kind'], string> = {
  payment: 'Payment',
  machine: 'Machine',
  ticket: 'Ticket',
}
export const kindMarks: Record<Decision['kind'], StatusKind> = {
  payment: 'attention',
  machine: 'failed',
  ticket: 'attention',
}

/** A sentence as a part of another: `No person has answered.` → `no person has answered`. */
const phrase = (text: string | null): string =>
  text ? `${text.slice(0, 1).toLowerCase()}${text.slice(1).replace(/\.$/, '')}` : ''

/** What stands behind the kind: `60.000000 USDT, under the minimum of $10`. */
export function decisionText(each: Decision): string {
  const parts = {
    payment: [`${each.amount_usdt} USDT`, reasonText(each.reason)],
    machine: [
      [each.title, phrase(each.reason)].filter(Boolean).join(': '),
      each.instances ? `${each.instances} ${each.instances === 1 ? 'instance' : 'instances'} on it` : '',
    ],
    ticket: [each.priority === 'high' ? 'high priority' : '', phrase(each.reason), `“${each.title}”`],
  }[each.kind]
  return parts.filter(Boolean).join(', ')
}
