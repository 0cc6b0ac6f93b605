/** What deleting an account means, in sentences. */
import type { AccountDeletion, DeletionBlock } from '@ingot/contracts/accounts'

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

export function consequencesOf(deletion: AccountDeletion): string[] {
  const { instances, running, volumes, snapshots, volume_grace_days } = deletion
  const lines = []
  if (instances > 0)
    lines.push(
      `${count(instances, 'instance')} ${instances === 1 ? 'is' : 'are'} destroyed with ${instances === 1 ? 'its disk' : 'their disks'}` +
        (running > 0 ? `; what runs on ${running} of them ends now.` : '.'),
    )
  const stored = [
    volumes > 0 && count(volumes, 'network volume'),
    snapshots > 0 && count(snapshots, 'snapshot'),
  ].filter(Boolean)
  if (stored.length > 0) {
    const isOne = volumes + snapshots === 1
    lines.push(
      `${stored.join(' and ')} ${isOne ? 'is' : 'are'} out of reach now and destroyed ${count(volume_grace_days, 'day')} later. What is left of ${isOne ? 'its month' : 'their months'} returns to the balance first.`,
    )
  }
  lines.push(
    'Your profile, keys and sessions are erased. Billing records stay, without your name.',
    'A deposit that arrives later is not credited; it is held until somebody has looked at it.',
  )
  return lines
}

const blocks: Record<DeletionBlock, string> = {
  hold: 'Money of your account is held for a review.',
  withdrawal: 'A withdrawal is on its way.',
}

/** Why it cannot be done yet; null when it can. */
export const blockedText = ({ blocked_by }: Pick<AccountDeletion, 'blocked_by'>): string | null =>
  blocked_by.length === 0
    ? null
    : `${blocked_by.map(block => blocks[block]).join(' ')} The account can be deleted when that is done.`
