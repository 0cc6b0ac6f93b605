/** Automated replies without a model: when they are written, what they are made of, and when they leave it to a person. */
import { automatedLead } from '@ingot/contracts/support/ai-replies'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { a40 } from '../../instances/test-rows.ts'
import { type TestUser, useTestServer } from '../../product/test-server.ts'
import { startLoop } from '../../worker/loop.ts'
import { wantsPerson } from './decide.ts'
import { openDesk } from './test-desk.ts'
import { replyWork } from './work.ts'

const server = useTestServer({ env: { INGOT_AI_REPLIES_A_DAY: '1000' } })
const desk = openDesk(server)
const db = () => server.services.database.kysely
const minute = 60_000
const stopped = 'Do I pay while my instance is stopped?'

let admin: TestUser
beforeAll(async () => {
  admin = await desk.staff()
  await server.services.manual.open()
}, 60_000)
beforeEach(() => admin.client.support.setAiSettings({ enabled: true, force_enabled: false }))

test('settings: Override Mode only while enabled, cleared with it; administrators alone, and audited', async () => {
  const put = admin.client.support.setAiSettings
  expect(await put({ enabled: true, force_enabled: true })).toMatchObject({
    mode: 'override',
    updated_by: admin.id,
    updated_by_email: `${admin.id}@example.com`,
    writer: 'facts',
    model: null,
  })
  expect(await put({ enabled: true })).toMatchObject({ force_enabled: true })
  await expect(put({ enabled: false, force_enabled: true })).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { force_enabled: 'can be on only while automated replies are enabled' },
  })
  expect(await put({ enabled: false })).toMatchObject({ mode: 'off', force_enabled: false })
  expect(await put({ enabled: true })).toMatchObject({ mode: 'smart' })
  for (const other of [await desk.staff('moderator'), await server.user()]) {
    await expect(other.client.support.getAiSettings({})).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(other.client.support.setAiSettings({ enabled: true })).rejects.toMatchObject({
      code: 'not_allowed',
    })
  }
  const { rows } = await sql<{ before: unknown; after: unknown }>`
    select before, after from audit_log where subject_kind = 'ai_settings' order by id desc limit 2`.execute(
    server.owner,
  )
  expect(rows).toEqual([
    { before: { enabled: false }, after: { enabled: true } },
    { before: { enabled: true, force_enabled: true }, after: { enabled: false, force_enabled: false } },
  ])
})

test('a question is answered from the documentation and from the own instance, and says that it is automated', async () => {
  const user = await server.user('25')
  const { id: instanceId } = await user.client.instances.create(a40({ name: 'notebook-03', start: false }))
  const id = await desk.ask(user, { content: stopped, links: [{ kind: 'instance', id: instanceId }] })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'answered', writer: 'facts', tokens: 0 }])
  const [reply] = await desk.written(user, id)
  expect(reply).toMatchObject({ sender_type: 'admin', is_automated: true, user_id: null, facts: [], seq: 2 })
  expect(reply!.content.startsWith(`${automatedLead}\n\n`)).toBe(true)
  expect(reply!.content).toContain('notebook-03 (1 × A40, US-East) is stopped')
  expect(reply!.content).toContain('stopped: nothing')
  expect(reply!.sources[0]).toEqual({
    number: 1,
    kind: 'instance',
    title: 'Your instance notebook-03',
    url: `/console/instances/${instanceId}`,
  })
  expect(reply!.sources.some(({ url }) => url.startsWith('/docs/billing#'))).toBe(true)
  expect(reply!.sources.map(({ number }) => number)).toEqual(reply!.sources.map((_, n) => n + 1))
  const [seen] = await desk.written(admin, id, 'staffMessages')
  expect(seen!.facts[0]).toMatch(/^Your instance notebook-03: notebook-03 \(1 × A40/)
  expect(await user.client.support.get({ id })).toMatchObject({
    status: 'open',
    unread: 1,
    first_reply_at: expect.any(String),
    first_person_at: null,
  })
})

test('deposits and charges are those of who asks, whatever names and ids the message has', async () => {
  const victim = await server.user('25')
  const { id: theirs } = await victim.client.instances.create(a40({ name: 'secret-lab', start: false }))
  const user = await server.user()
  const id = await desk.ask(user, {
    title: 'secret-lab',
    content: `Why was my instance secret-lab (${theirs}) of ${victim.id} stopped, what was charged, and where is its deposit?`,
  })
  await desk.ended(id)
  const [reply] = await desk.written(user, id)
  expect(reply!.content).not.toMatch(new RegExp(`secret-lab|A40|${theirs}|${victim.id}`))
  expect(reply!.content).toContain('No deposit of yours has been seen')
  const own = await desk.ask(victim, { content: 'What was I charged for secret-lab?' })
  await desk.ended(own)
  const [answer] = await desk.written(victim, own)
  expect(answer!.content).toMatch(/secret-lab \(1 × A40, US-East\) is stopped/)
  expect(answer!.content).toMatch(/The last movements of your wallet: .*charged \$0\.\d\d/)
})

test('what it does not know it says once, with the way to a person; the second time a person is asked for', async () => {
  const user = await server.user()
  const id = await desk.ask(user, { title: 'Paris', content: 'What is the weather in Paris?' })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'unknown' }])
  const [reply] = await desk.written(user, id)
  expect(reply).toMatchObject({ sources: [], content: expect.stringMatching(/I do not know.*Ask a person/) })
  expect((await user.client.support.get({ id })).person_asked_at).toBeNull()
  await user.client.support.send({ id, content: 'And in Rome?' })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'unknown' }, { outcome: 'handed_over' }])
  expect(await desk.written(user, id)).toHaveLength(1)
  expect((await user.client.support.get({ id })).person_asked_at).not.toBeNull()
})

test('Smart Mode waits until staff were away for ten minutes, whichever ticket they were at; Override Mode does not', async () => {
  const moderator = await desk.staff('moderator')
  const [user, other] = [await server.user(), await server.user()]
  const elsewhere = await desk.ask(other, { content: 'My dog ate the keyboard' })
  await desk.ended(elsewhere)
  for (const act of [
    () => moderator.client.support.staffSend({ id: elsewhere, content: 'We look at it.' }),
    () => admin.client.support.staffUpdate({ id: elsewhere, priority: 'high' }),
  ]) {
    await act()
    const id = await desk.ask(user, { content: stopped })
    await server.advance(9 * minute)
    await server.advance(20_000)
    expect(await desk.written(user, id)).toEqual([])
    await server.advance(minute)
    expect(await desk.ended(id)).toMatchObject([{ outcome: 'answered' }])
    expect(await desk.written(user, id)).toHaveLength(1)
  }
  await moderator.client.support.staffSend({ id: elsewhere, content: 'Still here.' })
  await admin.client.support.setAiSettings({ enabled: true, force_enabled: true })
  const id = await desk.ask(user, { content: stopped })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'answered' }])
  await server.advance(11 * minute)
})

test('a person who answers meanwhile is left alone, and what came while they were off is never answered', async () => {
  const moderator = await desk.staff('moderator')
  const user = await server.user()
  const id = await desk.ask(user, { content: stopped })
  await moderator.client.support.staffSend({ id, content: 'You do not.' })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'person' }])
  await admin.client.support.setAiSettings({ enabled: false })
  const late = await desk.ask(user, { content: stopped })
  await admin.client.support.setAiSettings({ enabled: true })
  await server.advance(11 * minute)
  expect(await desk.written(user, late)).toEqual([])
})

test('who asks for a person gets nothing automated before one has answered', async () => {
  const moderator = await desk.staff('moderator')
  const user = await server.user()
  const byButton = await desk.ask(user, { content: stopped })
  await user.client.support.askPerson({ id: byButton })
  expect(await desk.ended(byButton)).toMatchObject([{ outcome: 'person' }])
  const id = await desk.ask(user, { content: 'I want to talk to a human, please.' })
  expect(await desk.ended(id)).toMatchObject([{ outcome: 'handed_over' }])
  expect((await user.client.support.get({ id })).person_asked_at).not.toBeNull()
  await user.client.support.send({ id, content: stopped })
  expect((await desk.ended(id)).at(-1)).toMatchObject({ outcome: 'person' })
  expect(await desk.written(user, id)).toEqual([])
  await moderator.client.support.staffSend({ id, content: 'I am here.' })
  await server.advance(11 * minute)
  await user.client.support.send({ id, content: stopped })
  expect((await desk.ended(id)).at(-1)).toMatchObject({ outcome: 'answered' })
})

test.each([
  'Can I speak to a real person?',
  'human please',
  'connect me with someone from support',
  'Agent!',
  'stop the automated answers',
])('asks for a person: %s', text => expect(wantsPerson(text)).toBe(true))
test.each([stopped, 'How do I get my money out?', 'ssh: permission denied', 'forward port 8000'])(
  'does not: %s',
  text => expect(wantsPerson(text)).toBe(false),
)

test('several messages in a row get one reply, to the last, and one message never two, under two workers', async () => {
  const second = startLoop(replyWork(server.services), server.services)
  try {
    const users = await Promise.all(Array.from({ length: 6 }, () => server.user()))
    const ids = await Promise.all(users.map(user => desk.ask(user, { content: 'Hello' })))
    await Promise.all(users.map((user, n) => user.client.support.send({ id: ids[n]!, content: stopped })))
    for (const [n, id] of ids.entries()) {
      expect(await desk.ended(id)).toMatchObject([{ outcome: 'superseded' }, { outcome: 'answered' }])
      expect(await desk.written(users[n]!, id)).toHaveLength(1)
    }
  } finally {
    await second.stop()
  }
})

test('a claim that was killed after its answer was made leaves one reply, whoever goes on', async () => {
  const user = await server.user()
  const id = await desk.ask(user, { content: stopped })
  const [row] = await desk.ended(id)
  // As after a kill whose commit was not heard of: somebody has the row again.
  const token = '01990000-0000-7000-8000-000000000001'
  await sql`update support_replies set outcome = null, ended_at = null, reply_id = null, lock_token = ${token}, lock_expires_at = now() - interval '1 s',
    due_at = created_at where message_id = ${row!.message_id}`.execute(db())
  server.services.signals.send('support_replies')
  await desk.ended(id)
  expect(await desk.written(user, id)).toHaveLength(1)
})

test('a ticket and a customer have limits; beyond them a person is asked for', async () => {
  const user = await server.user()
  const first = await desk.ask(user, { content: stopped })
  await desk.ended(first)
  const fill = async (count: number, ticketId: string) => {
    for (let n = 0; n < count; n++) {
      const { rows } = await sql<{
        id: string
      }>`insert into support_messages (id, ticket_id, seq, content, sender_type, is_automated, created_at)
        select gen_random_uuid(), id, last_seq + 1, 'x', 'admin', true, now() from support_tickets where id = ${ticketId} returning id`.execute(
        db(),
      )
      await sql`update support_tickets set last_seq = last_seq + 1 where id = ${ticketId}`.execute(db())
      await sql`insert into support_replies (message_id, ticket_id, user_id, outcome, reply_id, writer, created_at, ended_at)
        values (${rows[0]!.id}, ${ticketId}, ${user.id}, 'answered', ${rows[0]!.id}, 'facts', ${server.services.clock.iso()}, ${server.services.clock.iso()})`.execute(
        db(),
      )
    }
  }
  await fill(11, first)
  await user.client.support.send({ id: first, content: stopped })
  const row = async (id: string) => (await desk.ended(id)).at(-1)
  expect(await row(first)).toMatchObject({ outcome: 'limited' })
  expect((await user.client.support.get({ id: first })).person_asked_at).not.toBeNull()
  const second = await desk.ask(user, { content: stopped })
  expect(await row(second)).toMatchObject({ outcome: 'answered' })
  await fill(17, first)
  const third = await desk.ask(user, { content: stopped })
  expect(await row(third)).toMatchObject({ outcome: 'limited' })
  await server.advance(24 * 60 * minute)
  const fourth = await desk.ask(user, { content: stopped })
  expect(await row(fourth)).toMatchObject({ outcome: 'answered' })
  expect((await admin.client.support.getAiSettings({})).counts.handed_over).toBeGreaterThan(2)
})
