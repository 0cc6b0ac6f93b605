import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../db/database.ts'
import { mostLookedAt } from '../../db/page.ts'
import { type TestUser, useTestServer } from '../../product/test-server.ts'
import { type AuditFilter, listAuditLog } from './queries.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}

let admin: TestUser
let other: TestUser
let user: TestUser
/** When the entries of these tests began. */
let from: string
beforeAll(async () => {
  admin = await administrator()
  other = await administrator()
  user = await server.user()
  from = new Date().toISOString()
  const { setRole } = admin.client.admin
  await setRole({ id: user.id, role: 'moderator', reason: 'Answers tickets, Größe 50%' })
  await setRole({ id: user.id, role: 'user', reason: 'Left the team' })
  await other.client.admin.setRole({ id: user.id, role: 'moderator' })
  await user.client.accounts.generateApiKey({ name: 'ci' })
})

type Filter = NonNullable<Parameters<TestUser['client']['admin']['auditLog']>[0]>
const read = async (filter: Filter) => (await admin.client.admin.auditLog({ from, ...filter })).items
const inShort = async (filter: Filter) =>
  (await read(filter)).map(({ operation, reason }) => [operation, reason])

const promoted = ['setUserRole', 'Answers tickets, Größe 50%']
const demoted = ['setUserRole', 'Left the team']
const again = ['setUserRole', null]
const key = ['generate_api_key', null]

describe('the audit log', () => {
  test('says who did what to whom, when, why, and what differs', async () => {
    const entry = (await read({ search: 'left' }))[0]!
    expect(entry).toMatchObject({
      actor: `staff:${admin.id}`,
      actor_person: { id: admin.id, email: `${admin.id}@example.com` },
      role: 'admin',
      ip: '127.0.0.1',
      operation: 'setUserRole',
      subject_kind: 'account',
      subject_id: user.id,
      customer: { id: user.id, email: `${user.id}@example.com` },
      reason: 'Left the team',
      changes: [{ field: 'role', before: 'moderator', after: 'user' }],
    })
    expect(Math.abs(Date.parse(entry.at) - Date.now())).toBeLessThan(60_000)
  })

  test.each<[string, () => Filter, unknown]>([
    ['nothing', () => ({}), [key, again, demoted, promoted]],
    ['an actor’s id', () => ({ actor: admin.id }), [demoted, promoted]],
    ['an actor’s address', () => ({ actor: ` ${other.id}@EXAMPLE.com` }), [again]],
    ['an actor who is a user', () => ({ actor: user.id }), [key]],
    ['an actor who is nobody’s address', () => ({ actor: 'x@example.com' }), []],
    ['the system', () => ({ actor: 'system' }), []],
    ['a customer’s address', () => ({ customer: `${user.id}@example.com` }), [key, again, demoted, promoted]],
    ['a customer’s id', () => ({ customer: admin.id }), []],
    ['an operation', () => ({ operation: 'generate_api_key' }), [key]],
    ['a kind', () => ({ subject_kind: 'api_key' }), [key]],
    ['the beginning of a word', () => ({ search: 'tick' }), [promoted]],
    ['words in any order and case', () => ({ search: 'größe ANSWERS' }), [promoted]],
    ['signs, which no word has', () => ({ search: "' & | !" }), []],
    ['a word with signs around it', () => ({ search: "(team')" }), [demoted]],
    ['several at once', () => ({ actor: admin.id, customer: user.id, search: 'the' }), [demoted]],
    ['a time that is over', () => ({ to: from }), []],
  ])('is filtered by %s', async (_, filter, expected) => {
    expect(await inShort(filter())).toEqual(expected)
  })

  test('is read page by page, also where entries were written at once, and of several actors', async () => {
    const pages: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await admin.client.admin.auditLog({ from, limit: 1, cursor, customer: user.id })
      pages.push(...page.items.map(({ operation, reason }) => [operation, reason]))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(pages).toEqual([key, again, demoted, promoted])
    const at = new Date(Date.now() - 86_400_000).toISOString()
    await sql`
      insert into audit_log (at, actor, subject_kind, subject_id, before, after, operation)
      select ${at}::timestamptz + n % 3 * interval '1 microsecond', case n % 2 when 0 then 'user:' else 'staff:' end || ${user.id}, 'account', ${user.id}, '{}', '{}', 'n' || n
      from generate_series(1, 9) n`.execute(server.owner)
    const seen: (string | null)[] = []
    do {
      const page = await admin.client.admin.auditLog({
        actor: user.id,
        to: new Date(Date.parse(at) + 1_000).toISOString(),
        limit: 2,
        cursor,
      })
      seen.push(...page.items.map(each => each.operation))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(['n8', 'n5', 'n2', 'n7', 'n4', 'n1', 'n9', 'n6', 'n3'])
    await expect(admin.client.admin.auditLog({ cursor: '1' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('is saved as a spreadsheet with the same filters', async () => {
    const file = await admin.client.admin.exportAuditLog({ from, actor: admin.id })
    expect([file.fileName, file.mediaType]).toEqual(['audit-log.csv', 'text/csv'])
    const lines = (await (await file.blob()).text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(
      'time,actor,actor_email,role,ip,operation,customer,customer_email,subject,subject_id,reason,before,after,request,entry',
    )
    expect(lines[1]).toContain(`Left the team,role: moderator,role: user,`)
    expect(lines[2]).toContain('"Answers tickets, Größe 50%"')
  })
})

/** A plan of PostgreSQL's, as far as it is looked at here. */
interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}
const rowsRead = (plan: Plan): number =>
  (plan['Relation Name'] === 'audit_log' ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0) +
  (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0)

describe('of many entries', () => {
  beforeAll(async () => {
    await sql`
      insert into audit_log (at, actor, subject_kind, subject_id, user_id, before, after, operation, reason)
      select now() - interval '2 days' - n * interval '1 second', 'staff:' || ${other.id}, 'account', ${user.id}, ${user.id}, '{}', '{}',
        case when n % 1000 = 0 then 'rare' else 'common' end, case when n % 5000 = 0 then 'seldom ' || n else 'often ' || n end
      from generate_series(1, 50000) n`.execute(server.owner)
    await sql`analyze audit_log`.execute(server.owner)
  })

  test.each<[string, () => AuditFilter]>([
    ['nothing', () => ({})],
    ['somebody who did them all', () => ({ actor: other.id })],
    ['a customer whom all are about', () => ({ customer: user.id })],
    ['an operation that is common', () => ({ operation: 'common' })],
    ['an operation that is rare', () => ({ operation: 'rare' })],
    ['a kind', () => ({ subject_kind: 'account' })],
    ['a time long ago', () => ({ to: '2020-01-01T00:00:00.000Z' })],
    ['a word that is common', () => ({ search: 'often' })],
    ['a word that is rare', () => ({ search: 'seldom' })],
  ])('a page filtered by %s looks at few of them', async (_, filter) => {
    const { pool } = server.services.database
    const asked: CompiledQuery[] = []
    const watched: Db = new Kysely({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void asked.push(query),
    })
    await listAuditLog(watched, { limit: 50, ...filter() })
    for (const { sql: text, parameters } of asked) {
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        [...parameters],
      )
      expect(rowsRead(rows[0]!['QUERY PLAN'][0].Plan)).toBeLessThan(1.1 * mostLookedAt)
    }
  })
})
