import { expect } from 'vitest'
import type { Db } from './database.ts'

/** What secrets look like: keys, hashes, links, tokens and sealed values are long; codes are six or eight digits. */
const secretForms = [
  /\$argon2/,
  /ingot_[A-Za-z0-9_-]+/,
  // With a letter or digit in it: names that a person or a fuzzer gives may be any line of dashes.
  /(?=[_+/=-]*[A-Za-z0-9])[A-Za-z0-9_+/=-]{32,}/,
  /(?<![\w.-])(\d{6}|\d{8})(?![\w-])/,
]
const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** Where money is sent: 25 bytes that a chain shows to everybody. */
const addresses = /\bT[1-9A-HJ-NP-Za-km-z]{33}\b/g

/** Of public SSH keys. */
const fingerprints = /\bSHA256:[A-Za-z0-9+/]{43}\b/g
/** What a fuzzer gives for a text. */
const oneLetter = /(.)\1{15,}/g
const shown = [ids, addresses, fingerprints, oneLetter]

/** Holds every entry of the audit log against the forms of secrets: after all tests, so after all writes they make. */
export async function assertAuditLogHoldsNoSecret(db: Db): Promise<void> {
  const entries = await db
    .selectFrom('audit_log')
    .select(['operation', 'subject_kind', 'before', 'after', 'reason'])
    .execute()
  for (const entry of entries) {
    const values = [entry.reason, ...[entry.before, entry.after].flatMap(each => Object.values(each))]
    const secrets = values.filter(value =>
      secretForms.some(form =>
        form.test(shown.reduce((text, each) => text.replaceAll(each, ''), String(value))),
      ),
    )
    expect({ ...entry, secrets }).toMatchObject({ secrets: [] })
  }
}

/** Each of these requests has left an entry. */
export async function assertAudited(db: Db, requestIds: readonly string[]): Promise<void> {
  if (!requestIds.length) return
  const entries = await db
    .selectFrom('audit_log')
    .select('request_id')
    .where('request_id', 'in', requestIds)
    .execute()
  const noted = new Set(entries.map(entry => entry.request_id))
  expect(requestIds.filter(id => !noted.has(id))).toEqual([])
}
