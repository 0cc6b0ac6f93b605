/** What tests of automated replies do: customers who write, and staff who switch them on. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type TestServer, type TestUser, until } from '../../product/test-server.ts'

export interface Asked {
  readonly title?: string
  readonly content: string
  /** The text of a log. */
  readonly attached?: string
  readonly links?: { readonly kind: 'instance' | 'payment' | 'invoice'; readonly id: string }[]
}

export function openDesk(server: TestServer) {
  const db = () => server.services.database.kysely
  const staff = async (role: 'moderator' | 'admin' = 'admin'): Promise<TestUser> => {
    const user = await server.user()
    await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
    return user
  }
  const uploads = async ({ client }: TestUser, text?: string): Promise<string[]> => {
    if (text === undefined) return []
    const body = Buffer.from(text)
    const sha256 = createHash('sha256').update(body).digest('hex')
    return [(await client.support.attach({ name: 'a.log', sha256 }, { body })).id]
  }
  return {
    staff,
    /** Opens a ticket with it; its id. */
    async ask(user: TestUser, { title = 'A question', content, attached, links }: Asked): Promise<string> {
      const attachments = await uploads(user, attached)
      return (await user.client.support.create({ title, content, attachments, links })).id
    },
    /** How each message that may be answered ended, the oldest first, once all have. */
    async ended(ticketId: string) {
      const read = async () =>
        await db()
          .selectFrom('support_replies')
          .selectAll()
          .where('ticket_id', '=', ticketId)
          .orderBy('created_at')
          .execute()
      if ((await read()).some(row => row.outcome === null)) await server.advance(2_000)
      return until(read, rows => rows.length > 0 && rows.every(row => row.outcome !== null))
    },
    /** What the service wrote to it by itself, as `reader` sees it. */
    async written({ client }: TestUser, id: string, reader: 'messages' | 'staffMessages' = 'messages') {
      return (await client.support[reader]({ id })).items.filter(message => message.is_automated)
    },
  }
}
