/**
 * Audits the ledger once a night, in whichever process comes first: `audit_run` says when it ran and what it found. A
 * finding is an error in the log and one mail to each administrator, in the transaction that ends the run. A process that
 * was killed half way leaves the run to another, two hours later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { auditPlaces } from '../catalog/audit-places.ts'
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { auditLedger, type Finding } from '../ledger/audit.ts'
import type { Vault } from '../vault.ts'
import { type Letter, queueMail } from '../worker/mail.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'

export interface AuditNeeds {
  readonly database: Database
  readonly vault: Vault
  readonly log: Logger
  readonly signals: Pick<Signals, 'send'>
  readonly config: { readonly publicUrl: string }
}

const everyMs = 10 * 60_000
/** When it falls due, UTC. */
const hour = 3

export const startNightlyAudit = (needs: AuditNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await auditWhenDue(needs, new Date()).catch(error =>
        needs.log.error({ err: error }, 'the nightly audit did not come to its end'),
      )
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** What it found; null when it was not due, or another process is at it. */
export async function auditWhenDue(needs: AuditNeeds, now: Date): Promise<readonly Finding[] | null> {
  const { database } = needs
  const { numUpdatedRows } = await database.kysely
    .updateTable('audit_run')
    .set({ began_at: now.toISOString() })
    .where('ended_at', '<', lastDue(now).toISOString())
    .where(({ eb, or }) =>
      or([
        eb('began_at', 'is', null),
        eb('began_at', '<', new Date(now.getTime() - 2 * 3_600_000).toISOString()),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows ? runAudit(needs, () => now) : null
}

/** For whoever has set `began_at`: the result is kept, with the time at which it was there. */
export async function runAudit(needs: AuditNeeds, now: () => Date): Promise<readonly Finding[]> {
  const { database, vault, log, signals } = needs
  const from = performance.now()
  const places = await auditPlaces(database.kysely)
  for (const finding of places) log.error(finding, 'places do not add up')
  const findings = await auditLedger(database.kysely)
  const seconds = (performance.now() - from) / 1000
  for (const finding of findings) log.error(finding, 'the ledger does not add up')
  await inTransaction(database.kysely, async tx => {
    await tx
      .updateTable('audit_run')
      .set({ ended_at: now().toISOString(), findings: findings.length, seconds })
      .execute()
    if (!findings.length) return
    for (const to of await administrators(tx)) await queueMail(tx, vault, letter(to, needs, findings))
  })
  if (findings.length) signals.send('mail')
  log.info({ findings: findings.length, seconds }, 'the ledger was audited')
  return findings
}

function lastDue(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hour)
  return new Date(today <= now.getTime() ? today : today - 86_400_000)
}

async function administrators(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select u.email from user_roles r join auth_user u on u.id = r.user_id
    where r.role = 'admin' and u.email is not null and u.deleted_at is null order by u.id`.execute(tx)
  return rows.map(row => row.email)
}

function letter(to: string, { config }: AuditNeeds, findings: readonly Finding[]): Letter {
  const rules = Map.groupBy(findings, finding => finding.rule)
  const list = [...rules]
    .map(([rule, [first]]) => `- Broken: ${rule}.\n  For one: ${first!.detail}`)
    .join('\n')
  return {
    to,
    subject: 'Ingot: the ledger does not add up',
    text: `The nightly audit of the ledger at ${new URL(config.publicUrl).host} found what should never be:

${list}

Nothing was changed. Run "npm run audit" on the server for every finding. docs/operations.md says what to do then.

Ingot
`,
  }
}
