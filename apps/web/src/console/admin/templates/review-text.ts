/** A proposal field by field, beside what is public of the template now. */
import type { ProposedTemplate, ReviewEntry } from '@ingot/contracts/admin/template-reviews'
import type { ReviewStatus } from '@ingot/contracts/templates'
import type { Tone } from '../../../ui/Badge.tsx'

export const statusWords: Record<ReviewStatus, string> = {
  pending: 'To review',
  approved: 'Public',
  replaced: 'Replaced',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}
export const statusTones: Record<ReviewStatus, Tone> = {
  pending: 'warn',
  approved: 'ok',
  replaced: 'neutral',
  rejected: 'danger',
  withdrawn: 'neutral',
}

export interface FieldLine {
  readonly name: string
  readonly text: string
  /** As it is public now, where that differs; null: there is nothing, or it is the same. */
  readonly before: string | null
}

const fields: readonly { readonly name: string; readonly text: (template: ProposedTemplate) => string }[] = [
  { name: 'Name', text: ({ name }) => name },
  { name: 'Description', text: ({ description }) => description },
  { name: 'Category', text: ({ category }) => category },
  { name: 'Image', text: ({ docker_image }) => docker_image },
  { name: 'Start command', text: ({ start_command }) => start_command ?? '' },
  {
    name: 'Variables',
    text: ({ env }) =>
      Object.entries(env)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(pair => pair.join('='))
        .join('\n'),
  },
  { name: 'Secrets, by name', text: ({ secret_names }) => secret_names.join(', ') },
  { name: 'Ports', text: ({ ports }) => ports.join(', ') },
  { name: 'Data storage', text: ({ disk_gb }) => (disk_gb === null ? '' : `${disk_gb} GB or more`) },
  { name: 'Readme', text: ({ readme }) => readme },
]

/** Of a first version all that it has; of a later one what stays the same as well, so that nothing is overlooked. */
export function linesOf({ proposed, published, status }: ReviewEntry): FieldLine[] {
  const old = status === 'pending' ? published : null
  return fields
    .map(({ name, text }) => {
      const now = text(proposed)
      const before = old && text(old)
      return { name, text: now, before: before !== null && before !== now ? before : null }
    })
    .filter(({ text, before }) => text !== '' || before !== null)
}
