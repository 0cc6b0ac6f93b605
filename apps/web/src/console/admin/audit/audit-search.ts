/** What the address of the audit log says: the filters, and which entry is open. */
import { api } from '@ingot/contracts/api'
import { auditSubjects } from '@ingot/contracts/admin/audit-log'
import { isOfStaff, type Operation } from '@ingot/contracts/operation'
import { capital, fieldWords, operationWords } from '../../accounts/staff-acts/audit-words.ts'
import { readSearchText } from '../../list/read-search.ts'
import type { SearchText } from '../../list/search-state.ts'

const dayMs = 86_400_000
const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** As typed in the fields; absent where the list is not narrowed. */
export function readAuditSearch(search: SearchText) {
  const text = (name: string, most: number) => search[name]?.slice(0, most).trim() || undefined
  return {
    search: readSearchText(search),
    actor: text('actor', 255),
    customer: text('customer', 255),
    operation: text('operation', 100),
    kind: text('kind', 40),
    from: isDay(search['from']) ? search['from'] : undefined,
    to: isDay(search['to']) ? search['to'] : undefined,
  }
}
export type AuditSearch = ReturnType<typeof readAuditSearch>

/** The last day counts whole. */
export const wantedOf = ({ search, kind, from, to, ...rest }: AuditSearch) => ({
  ...rest,
  search: search.trim() || undefined,
  subject_kind: kind,
  from: from && new Date(from).toISOString(),
  to: to && new Date(Date.parse(to) + dayMs).toISOString(),
})

export const kindOptions = auditSubjects.map(value => ({
  value: value as string,
  label: capital(fieldWords(value)),
}))

/** What staff do by calls of this service. Others are filtered from one of their entries. */
const known = [
  ...Object.values(api)
    .flatMap(noun => Object.values(noun) as Operation[])
    .filter(op => isOfStaff(op) && op.method !== 'GET')
    .map(op => op.id),
  'PUT /auth/v1/user',
  'generate_api_key',
  'deleteAccount',
]
export const operationOptions = (chosen: string | undefined) =>
  [...new Set(chosen ? [...known, chosen] : known)]
    .map(value => ({ value, label: operationWords(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label))

export const noFilters = { search: '', actor: '', customer: '', operation: '', kind: '', from: '', to: '' }
