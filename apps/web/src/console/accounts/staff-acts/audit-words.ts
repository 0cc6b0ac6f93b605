/** What stands in the audit log, in words. */
import { api } from '@ingot/contracts/api'
import type { StaffAct } from '@ingot/contracts/accounts'
import type { Operation } from '@ingot/contracts/operation'

const operations = new Map(
  Object.values(api).flatMap(noun =>
    Object.values(noun as Record<string, Operation>).map(op => [op.id, op] as const),
  ),
)

/** `Give a user another role, effective with their next call` → `Give a user another role`. */
const inShort = (summary: string): string => summary.split(/[,;:.(]/, 1)[0]!.trim()

/** Of one's own account, as its owner reads it. */
const toCustomer: Readonly<Record<string, string>> = {
  setUserRole: 'Changed your role',
  creditWallet: 'Added money to your wallet',
  debitWallet: 'Took money off your wallet',
  approvePayment: 'Approved a deposit of yours',
  rejectPayment: 'Rejected a deposit of yours',
  takePayout: 'Began to send your withdrawal',
  refuseWithdrawal: 'Refused your withdrawal',
  suspendUser: 'Suspended your account',
  reinstateUser: 'Ended the suspension of your account',
  endUserSessions: 'Ended your sessions',
  startAnyInstance: 'Started an instance of yours',
  stopAnyInstance: 'Stopped an instance of yours',
  deleteAnyInstance: 'Deleted an instance of yours',
  detachAnyVolume: 'Detached a volume of yours',
  deleteAnyVolume: 'Deleted a volume of yours',
  approveTemplate: 'Published a template of yours',
  rejectTemplate: 'Declined a template of yours',
  updateAnyTicket: 'Changed a ticket of yours',
  replyToTicket: 'Answered a ticket of yours',
  markAnyTicketRead: 'Read a ticket of yours',
  beginActing: 'Began to look at your account',
  endActing: 'Stopped looking at your account',
  actingEnded: 'The time to look at your account was over',
}

/** `Set your password`: calls of the auth service have a method and a path for a name. */
export function operationWords(operation: string | null): string {
  if (operation === null) return 'By hand in the database'
  const op = operations.get(operation)
  if (op) return inShort(op.summary)
  return operation === 'actingEnded' ? 'Time to act as a customer is over' : operation
}

export function actWords({ operation, subject_kind }: Pick<StaffAct, 'operation' | 'subject_kind'>): string {
  const known = operation === null ? undefined : toCustomer[operation]
  if (known) return known
  const op = operation === null ? undefined : operations.get(operation)
  return op ? inShort(op.summary) : `Changed your ${fieldWords(subject_kind)}`
}

export const byWords: Readonly<Record<StaffAct['by'], string>> = {
  administrator: 'An administrator',
  moderator: 'Support staff',
  operator: 'The operator of the service',
  system: 'The service itself',
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** `banned_until` → `banned until`. */
export const fieldWords = (field: string): string => field.replaceAll('_', ' ')

/** Of what was read while acting as a customer, the calls are named. */
export const valueWords = (field: string, value: string): string =>
  field === 'read' ? value.replaceAll(/[\w-]+(?= ×)/g, operation => operationWords(operation)) : value
