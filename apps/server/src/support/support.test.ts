/** Tickets by the API: their states, their order, what is sent once, what is attached, and who is told. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'
import { sweepAttachments } from './attachments.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const day = 86_400_000

async function staff(role: 'moderator' | 'admin' = 'moderator'): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
  return user
}
const opened = ({ client }: TestUser, title = 'Is my data gone?') =>
  client.support.create({ title, content: 'It was stopped at night.' })
const said = async ({ client }: TestUser, id: string) =>
  (await client.support.messages({ id })).items.map(({ seq, content }) => `${seq} ${content}`)
const sumOf = (body: Uint8Array) => createHash('sha256').update(body).digest('hex')
const attach = ({ client }: TestUser, body: Buffer<ArrayBuffer>, name = 'kernel.log') =>
  client.support.attach({ name, sha256: sumOf(body) }, { body })
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test('a ticket opens with its message; a reply takes it up, another opens what was resolved, and each side sees what is new', async () => {
  const user = await server.user()
  const moderator = await staff()
  const ticket = await opened(user)
  expect(ticket).toMatchObject({ status: 'open', priority: 'medium', unread: 0, last_seq: 1 })
  expect(await moderator.client.support.staffGet({ id: ticket.id })).toMatchObject({
    unread: 1,
    user_email: `${user.id}@example.com`,
  })
  await moderator.client.support.staffSend({ id: ticket.id, content: 'Nothing is gone.' })
  expect(await user.client.support.get({ id: ticket.id })).toMatchObject({
    status: 'in_progress',
    unread: 1,
    first_person_at: expect.any(String),
  })
  expect(await user.client.support.summary({})).toEqual({
    total: 1,
    unread: 1,
    automated: 'off',
    model_host: null,
  })
  expect(await user.client.support.read({ id: ticket.id, seq: 99 })).toMatchObject({ unread: 0 })
  await moderator.client.support.staffUpdate({ id: ticket.id, status: 'resolved' })
  await user.client.support.send({ id: ticket.id, content: 'But it was not waiting.' })
  expect((await user.client.support.get({ id: ticket.id })).status).toBe('open')
  expect(await said(user, ticket.id)).toEqual([
    '1 It was stopped at night.',
    '2 Nothing is gone.',
    '3 But it was not waiting.',
  ])
  const { items } = await user.client.support.messages({ id: ticket.id, after_seq: 2 })
  expect(items).toMatchObject([{ seq: 3, sender_type: 'user', is_automated: false }])
})

test('a closed one opens again for 14 days, and not after', async () => {
  const user = await server.user()
  const moderator = await staff()
  const { id } = await opened(user)
  const closed = await moderator.client.support.staffUpdate({ id, status: 'closed' })
  expect(Date.parse(closed.reopens_until!) - server.services.clock.now()).toBeGreaterThan(13 * day)
  expect((await user.client.support.update({ id, status: 'open' })).status).toBe('open')
  await moderator.client.support.staffUpdate({ id, status: 'closed' })
  await server.advance(14 * day)
  const message = 'This ticket was closed more than 14 days ago. Open a new one.'
  for (const act of [
    () => user.client.support.update({ id, status: 'open' }),
    () => user.client.support.send({ id, content: 'Still there?' }),
    () => user.client.support.askPerson({ id }),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'invalid_state', message })
  expect((await moderator.client.support.staffUpdate({ id, status: 'open' })).status).toBe('open')
})

test('a message is sent once, however often it is asked for; twenty at once have twenty numbers', async () => {
  const user = await server.user()
  const moderator = await staff()
  const { id } = await opened(user)
  const again = await Promise.all(
    Array.from({ length: 4 }, () => user.client.support.send({ id, content: 'Hello', client_id: 'a-1' })),
  )
  expect(new Set(again.map(message => message.id)).size).toBe(1)
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => [
      user.client.support.send({ id, content: `u${n}`, client_id: `u-${n}` }),
      moderator.client.support.staffSend({ id, content: `s${n}`, client_id: `u-${n}` }),
    ]).flat(),
  )
  const { items } = await user.client.support.messages({ id })
  expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 22 }, (_, n) => n + 1))
  expect(items.map(({ created_at }) => created_at)).toEqual(
    items.map(({ created_at }) => created_at).toSorted(),
  )
})

test('attachments are what their bytes say, are sent by their owner once, and are swept where nobody sends them', async () => {
  const user = await server.user()
  const moderator = await staff()
  const { id } = await opened(user)
  const log = Buffer.from('21:29:51 kernel: Out of memory\n')
  await expect(
    user.client.support.attach({ name: 'a.log', sha256: sumOf(png) }, { body: log }),
  ).rejects.toMatchObject({
    fields: { sha256: 'is of other bytes than came' },
  })
  for (const body of [
    Buffer.from('MZ\u0000\u0000'),
    Buffer.from('%PDF-1.7\u0000'),
    Buffer.from([0xff, 0xfe, 0]),
  ])
    await expect(attach(user, body, 'photo.png')).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { name: expect.stringMatching(/^Attach a PNG/) },
    })
  const image = await attach(user, png, 'screen.log')
  expect(image).toMatchObject({ name: 'screen.log', media_type: 'image/png' })
  const text = await attach(user, log)
  const stranger = await server.user()
  await expect(
    stranger.client.support.create({ title: 'x', content: 'y', attachments: [image.id] }),
  ).rejects.toMatchObject({ code: 'validation_failed' })
  const sent = await user.client.support.send({ id, content: 'See', attachments: [image.id, text.id] })
  expect(sent.attachments).toEqual([image, text])
  await expect(
    user.client.support.send({ id, content: 'Again', attachments: [image.id] }),
  ).rejects.toMatchObject({
    fields: { attachments: `${image.id} is no attachment of yours that waits to be sent` },
  })
  const get = (token: string, path: string) => server.fetch(path, { token })
  const got = await get(moderator.token, `/v1/admin/attachments/${text.id}`)
  expect(got.headers.get('content-disposition')).toContain('attachment')
  expect(await got.text()).toBe(log.toString())
  expect((await get(stranger.token, `/v1/attachments/${text.id}`)).status).toBe(404)
  const left = await attach(user, log)
  await sql`update support_attachments set created_at = now() - interval '25 hours' where id in (${left.id}, ${text.id})`.execute(
    db(),
  )
  await sweepAttachments(db())
  expect((await get(user.token, `/v1/attachments/${left.id}`)).status).toBe(404)
  expect((await get(user.token, `/v1/attachments/${text.id}`)).status).toBe(200)
})

test('what a message is about stays as it was then; another’s is refused', async () => {
  const user = await server.user('25')
  const { id: instanceId } = await user.client.instances.create(a40({ name: 'notebook-03', start: false }))
  const { id } = await opened(user)
  const sent = await user.client.support.send({
    id,
    content: 'This one',
    links: [{ kind: 'instance', id: instanceId }],
  })
  expect(sent.links).toEqual([
    { kind: 'instance', id: instanceId, title: 'notebook-03', detail: '1 × A40, US-East, stopped' },
  ])
  await user.client.instances.update({ id: instanceId, name: 'other' })
  expect((await user.client.support.messages({ id })).items.at(-1)!.links[0]!.title).toBe('notebook-03')
  const stranger = await server.user()
  const theirs = await opened(stranger)
  await expect(
    stranger.client.support.send({
      id: theirs.id,
      content: 'x',
      links: [{ kind: 'instance', id: instanceId }],
    }),
  ).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { links: `no instance of yours is ${instanceId}` },
  })
})

test('lists are by the last change, found by subject, id and status; staff find by address too', async () => {
  const user = await server.user()
  const moderator = await staff()
  const [first, second] = [
    await opened(user, 'GPU 2 is slow'),
    await opened(user, 'Invoice with our VAT number'),
  ]
  await server.advance(1_000)
  await user.client.support.send({ id: first.id, content: 'More' })
  const titles = async (filter: Parameters<typeof user.client.support.list>[0]) =>
    (await user.client.support.list(filter)).items.map(({ title }) => title)
  expect(await titles({})).toEqual([first.title, second.title])
  expect(await titles({ search: 'vat' })).toEqual([second.title])
  expect(await titles({ search: first.id.slice(0, 13) })).toEqual([first.title])
  expect(await titles({ status: 'resolved' })).toEqual([])
  const page = await user.client.support.list({ limit: 1 })
  expect((await user.client.support.list({ limit: 1, cursor: page.next_cursor! })).items).toMatchObject([
    { id: second.id },
  ])
  const found = await moderator.client.support.staffList({ search: user.id, priority: 'medium' })
  expect(found.items.map(({ id }) => id)).toEqual([first.id, second.id])
  expect((await moderator.client.support.staffList({ search: user.id, priority: 'high' })).items).toEqual([])
})

test('a reply is told by mail with a link that leads back; what staff change is in the audit log', async () => {
  const user = await server.user()
  const moderator = await staff()
  const { id } = await opened(user)
  await moderator.client.support.staffSend({ id, content: 'Nothing is gone.' })
  const mails = await until(
    async () =>
      (await listMail(db(), server.services.vault)).filter(({ to }) => to === `${user.id}@example.com`),
    found => found.length > 0,
  )
  expect(mails[0]).toMatchObject({ subject: 'A reply to "Is my data gone?"' })
  expect(mails[0]!.text).toContain('Nothing is gone.')
  expect(mails[0]!.text).toContain(`/console/support?ticket=${id}`)
  await moderator.client.support.staffUpdate({ id, priority: 'high' })
  const { rows } = await sql<{ before: unknown; after: unknown; operation: string }>`
    select before, after, operation from audit_log where subject_kind = 'ticket' and subject_id = ${id} order by id`.execute(
    server.owner,
  )
  expect(rows).toEqual([
    { operation: 'replyToTicket', before: { replied: null }, after: { replied: 2 } },
    { operation: 'updateAnyTicket', before: { priority: 'medium' }, after: { priority: 'high' } },
  ])
})

test('a person is asked for until one has answered', async () => {
  const user = await server.user()
  const moderator = await staff()
  const { id } = await opened(user)
  const asked = await user.client.support.askPerson({ id })
  expect(asked.person_asked_at).not.toBeNull()
  expect((await user.client.support.askPerson({ id })).person_asked_at).toBe(asked.person_asked_at)
  await moderator.client.support.staffSend({ id, content: 'I am here.' })
  expect((await user.client.support.get({ id })).person_asked_at).toBeNull()
})

test('tickets, messages and attachments go with their account', async () => {
  const user = await server.user()
  const { id } = await opened(user)
  await user.client.support.send({
    id,
    content: 'See',
    attachments: [(await attach(user, Buffer.from('a line'))).id],
  })
  await deleteAccount(server.services, user.id, { by: user.id, balance: null })
  for (const table of ['support_tickets', 'support_messages', 'support_attachments'] as const) {
    const rows = await db()
      .selectFrom(table)
      .select('id')
      .where(
        table === 'support_messages' ? 'ticket_id' : 'user_id',
        '=',
        table === 'support_messages' ? id : user.id,
      )
      .execute()
    expect(rows).toEqual([])
  }
})
