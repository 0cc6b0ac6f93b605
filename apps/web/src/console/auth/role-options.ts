import type { jobRoles } from '@ingot/contracts/accounts'

/** A job, not a permission. */
const names: Record<(typeof jobRoles)[number], string> = {
  developer: 'Developer',
  'data-scientist': 'Data Scientist',
  'ml-engineer': 'ML Engineer',
  researcher: 'Researcher',
  cto: 'CTO',
  other: 'Other',
}

export const roleOptions = Object.entries(names).map(([value, label]) => ({
  value: value as keyof typeof names,
  label,
}))
