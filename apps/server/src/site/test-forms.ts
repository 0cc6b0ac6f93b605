/** What the tests of the site's forms share. */
import { IngotError } from '@ingot/contracts/errors'
import { type Client, createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeEach } from 'vitest'
import type { Database, Db } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { listMail } from '../worker/mail.ts'

export const refusal = (work: Promise<unknown>): Promise<IngotError> =>
  work.then(
    () => {
      throw new Error('it was accepted')
    },
    error => error as IngotError,
  )
export const tokenIn = (text: string): string => /\?token=([\w-]+)/.exec(text)![1]!

export const onlyInquiry = async (client: Client): Promise<string> =>
  (await client.site.inquiries()).items[0]!.id

export const message = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'Ada@Example.com',
  company: 'Engines',
  type: 'sales',
  message: 'Eight H100 for a month, please.',
} as const

export const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
export const application = (cv = 'none') =>
  ({
    job_id: 'devops-engineer',
    name: 'Grace Hopper',
    email: 'grace@example.com',
    letter: 'I would like to.',
    cv,
  }) as const

interface FormServer<User> {
  readonly url: string
  readonly services: { readonly database: Database; readonly vault: Vault }
  readonly owner: Db
  fetch(path: string, init: RequestInit): Promise<Response>
  user(): Promise<User>
}

/** Nothing has been sent when a test begins. */
export function useTestForms<User extends { readonly id: string }>(server: FormServer<User>) {
  const db = () => server.services.database.kysely
  const visitor = () => createClient({ baseUrl: server.url })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    server.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
  const countOf = async (table: string, where = 'true'): Promise<number> =>
    (
      await sql<{ n: number }>`select count(*)::int as n from ${sql.raw(`${table} where ${where}`)}`.execute(
        db(),
      )
    ).rows[0]!.n
  const lettersTo = async (email: string) =>
    (await listMail(db(), server.services.vault)).filter(mail => mail.to === email)

  async function administrator(role: 'admin' | 'moderator' = 'admin'): Promise<User> {
    const user = await server.user()
    await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
    return user
  }

  beforeEach(async () => {
    await sql`truncate site_inquiry, site_answer, site_cv, site_sent, site_subscription, site_token, site_waitlist, auth_bucket, mail`.execute(
      server.owner,
    )
  })

  return { db, visitor, post, countOf, lettersTo, administrator }
}
