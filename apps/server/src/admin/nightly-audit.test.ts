import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { openVault } from '../vault.ts'
import { listMail } from '../worker/mail.ts'
import { type AuditNeeds, auditWhenDue } from './nightly-audit.ts'

let database: TestDatabase
let needs: AuditNeeds
let logged: { level: number; rule?: string }[]

beforeEach(async () => {
  database = await createTestDatabase()
  logged = []
  needs = {
    database,
    vault: await openVault('test', '/nowhere'),
    log: pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    signals: { send: () => {} },
    config: { publicUrl: 'https://cloud.example.com' },
  }
  await sql`update audit_run set ended_at = '2026-11-20 03:10Z'`.execute(database.kysely)
})
afterEach(() => database.close())

const at = (text: string) => auditWhenDue(needs, new Date(text))
const account = async (email: string, role: string | null) => {
  const id = newId()
  await sql`insert into auth_user (id, email) values (${id}, ${email})`.execute(database.owner.kysely)
  if (role)
    await sql`insert into user_roles (user_id, role) values (${id}, ${role})`.execute(database.owner.kysely)
  await sql`select credit_wallet(${id}, 5, 'Gift', ${newId()}, now())`.execute(database.owner.kysely)
}
const lastRun = async () => {
  const { ended_at, findings, seconds } = await database.kysely
    .selectFrom('audit_run')
    .selectAll()
    .executeTakeFirstOrThrow()
  return { ended_at, findings, took: seconds > 0 }
}

test('the ledger is audited once a night, by one process of several, and the result is kept', async () => {
  expect(await at('2026-11-21T02:59:00Z')).toBeNull()
  const results = await Promise.all(Array.from({ length: 4 }, () => at('2026-11-21T03:01:00Z')))
  expect(results.filter(found => found !== null)).toEqual([[]])
  expect(await lastRun()).toEqual({ ended_at: '2026-11-21T03:01:00.000Z', findings: 0, took: true })
  expect(await at('2026-11-22T02:59:00Z')).toBeNull()
  expect(await at('2026-11-22T12:00:00Z')).toEqual([])
  expect(await listMail(database.kysely, needs.vault)).toEqual([])
})

test('a finding is an error in the log and one mail a night to each administrator', async () => {
  await account('boss@example.com', 'admin')
  await account('other@example.com', 'admin')
  await account('helper@example.com', 'moderator')
  await account('customer@example.com', null)
  await sql`update ledger_account set balance_micro = 6 where owner is not null`.execute(
    database.owner.kysely,
  )
  const found = await at('2026-11-21T03:01:00Z')
  expect(found!.length).toBeGreaterThanOrEqual(4)
  expect(await at('2026-11-21T03:11:00Z')).toBeNull()
  expect(logged.filter(line => line.level === 50).map(line => line.rule)).toEqual(
    found!.map(({ rule }) => rule),
  )
  const mails = await listMail(database.kysely, needs.vault)
  expect(mails.map(mail => mail.to).toSorted()).toEqual(['boss@example.com', 'other@example.com'])
  expect(mails[0]!.text).toContain('a live balance is the sum of its transfers')
  expect((await lastRun()).findings).toBe(found!.length)
  await at('2026-11-22T03:00:00Z')
  expect(await listMail(database.kysely, needs.vault)).toHaveLength(4)
})

test('a run that was killed half way is taken up two hours later', async () => {
  await sql`update audit_run set began_at = '2026-11-21 03:01Z'`.execute(database.kysely)
  expect(await at('2026-11-21T04:30:00Z')).toBeNull()
  expect(await at('2026-11-21T05:02:00Z')).toEqual([])
})
