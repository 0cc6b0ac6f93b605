/** What follows from an act on a user, in sentences; figures as the service says them. */
import type { UserRole } from '@ingot/contracts/accounts'
import type { PersonDeletion } from '@ingot/contracts/admin/people'
import { formatMoney } from '../../../ui/format.ts'

/** What these acts need to know of a user. */
export interface Person {
  readonly id: string
  readonly email: string | null
  readonly role: UserRole
  readonly suspended_at: string | null
}

export const roleOptions = [
  { value: 'user', label: 'user', hint: 'The console alone' },
  { value: 'moderator', label: 'moderator', hint: 'Reads and answers tickets' },
  { value: 'admin', label: 'admin', hint: 'Everything here' },
] as const satisfies readonly { readonly value: UserRole; readonly label: string; readonly hint: string }[]

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

export function ofSuspending({
  running,
  sessions,
  has_api_key,
  volumes,
  snapshots,
}: PersonDeletion): string[] {
  const stored = [volumes && count(volumes, 'volume'), snapshots && count(snapshots, 'snapshot')].filter(
    Boolean,
  )
  return [
    running > 0
      ? `${count(running, 'running instance')} ${running === 1 ? 'stops and is' : 'stop and are'} charged up to then.`
      : 'Nothing of it runs.',
    `${sessions === 0 ? 'No session' : count(sessions, 'session')}${has_api_key ? ' and the API key' : ''} ${sessions > 1 || (has_api_key && sessions > 0) ? 'end' : 'ends'} for good.`,
    stored.length > 0
      ? `Nothing is deleted. ${stored.join(' and ')} ${volumes + snapshots === 1 ? 'goes' : 'go'} on being charged.`
      : 'Nothing is deleted, and deposits are credited.',
    'The user gets your reason by mail, and reads it at sign-in.',
  ]
}

export const ofReinstating = (): string[] => [
  'They can sign in again, as before.',
  'What stopped stays stopped, and the API key stays ended.',
  'The user gets your reason by mail.',
]

export const ofEndingSessions = ({ sessions, has_api_key }: PersonDeletion): string[] => [
  sessions === 0
    ? 'Nobody is signed in now.'
    : `${count(sessions, 'session')} ${sessions === 1 ? 'ends' : 'end'} at once.`,
  has_api_key ? 'The API key goes on working, and so does what runs.' : 'What runs goes on.',
]

export function ofDeleting(deletion: PersonDeletion): string[] {
  const { instances, running, volumes, snapshots, volume_grace_days, balance_usd } = deletion
  const lines = []
  if (instances > 0)
    lines.push(
      `${count(instances, 'instance')} ${instances === 1 ? 'is' : 'are'} destroyed with ${instances === 1 ? 'its disk' : 'their disks'}${running > 0 ? `; ${running} of them ${running === 1 ? 'runs' : 'run'} now` : ''}.`,
    )
  if (volumes + snapshots > 0)
    lines.push(
      `${[volumes && count(volumes, 'volume'), snapshots && count(snapshots, 'snapshot')].filter(Boolean).join(' and ')} ${volumes + snapshots === 1 ? 'is' : 'are'} destroyed ${count(volume_grace_days, 'day')} later.`,
    )
  lines.push(
    Number(balance_usd) > 0
      ? `${formatMoney(balance_usd)} becomes a refund request, which you pay out by hand.`
      : 'No money is left.',
    'Profile, keys and sessions are erased. Billing records stay, without a name. Nobody can undo it.',
  )
  return lines
}

/** Why it is refused now; null where it is not. */
export function whyNotDeleted({ blocked_by, is_last_administrator }: PersonDeletion): string | null {
  if (is_last_administrator) return 'There must be another administrator first.'
  if (blocked_by.includes('withdrawal'))
    return 'A withdrawal is under way. The account can be deleted once it has ended.'
  return blocked_by.length > 0
    ? 'Part of the balance is on hold. The account can be deleted once that is settled.'
    : null
}
