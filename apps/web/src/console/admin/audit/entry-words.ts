import type { AuditEntry } from '@ingot/contracts/admin/audit-log'

type Person = NonNullable<AuditEntry['customer']>

export const personText = ({ id, email }: Person): string => email ?? `Account ${id.slice(0, 8)}`

const nobody: Readonly<Record<string, string>> = {
  system: 'The service itself',
  visitor: 'A visitor',
  'staff:service_role': 'The service key',
}

/** A key does what its owner has it do. */
export function whoText({ actor, actor_person }: Pick<AuditEntry, 'actor' | 'actor_person'>): string {
  if (!actor_person) return nobody[actor] ?? actor
  const person = personText(actor_person)
  return actor.startsWith('key:') ? `API key of ${person}` : person
}
