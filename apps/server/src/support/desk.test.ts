import { fewestAnswered, messageLimit } from '@ingot/contracts/support'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

const server = useTestServer({ env: { INGOT_SUPPORT_HOURS: '08:00 to 20:00 UTC' } })
const db = () => server.services.database.kysely

async function staff(role: 'moderator' | 'admin' = 'moderator'): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
  return user
}
const opened = ({ client }: TestUser, title = 'Is my data gone?') =>
  client.support.create({ title, content: 'It was stopped at night.' })
const lettersTo = async (id: string) =>
  (await listMail(db(), server.services.vault)).filter(mail => mail.to === `${id}@example.com`)

test('how soon a person answers is the median of what was answered lately, and is not said of too few', async () => {
  const moderator = await staff()
  const user = await server.user()
  const wait = () => user.client.support.wait()
  // An answer of long ago counts no more.
  const old = await opened(user)
  await moderator.client.support.staffSend({ id: old.id, content: 'No.' })
  await server.advance(31 * 86_400_000)
  for (let i = 1; i <= fewestAnswered; i++) {
    expect(await wait()).toEqual({ first_person_seconds: null, hours: '08:00 to 20:00 UTC' })
    const { id } = await opened(user)
    await moderator.client.support.staffSend({ id, content: 'No.' })
    // One that waited for days moves the median no further than any other.
    await sql`update support_tickets set created_at = first_person_at - ${i === 1 ? 400_000 : i * 600} * interval '1 second' where id = ${id}`.execute(
      db(),
    )
  }
  // 400,000; 1,200; 1,800; 2,400; 3,000
  expect((await wait()).first_person_seconds).toBe(2_400)
})

test('staff who want mails are told of new tickets and of who asks for a person, in one mail for what came meanwhile', async () => {
  const [one, other, user] = [await staff(), await staff('admin'), await server.user()]
  const banned = await staff()
  await sql`update auth_user set banned_until = 'infinity' where id = ${banned.id}`.execute(db())
  await other.client.accounts.updateSettings({ email_notifications: false })
  const first = await opened(user, 'First of two')
  await until(
    () => lettersTo(one.id),
    mails => mails.some(mail => mail.subject === 'New ticket: "First of two"'),
  )
  const [letter] = await lettersTo(one.id)
  expect(letter!.text).toContain(`/admin/tickets?ticket=${first.id}`)
  // What was written is read at the desk, not in a mailbox.
  expect(letter!.text).not.toContain('It was stopped at night.')
  await opened(user, 'Second')
  await opened(user, 'Third')
  await user.client.support.askPerson({ id: first.id })
  await until(
    () => lettersTo(one.id),
    mails => mails.some(mail => mail.subject === 'A person is asked for: "First of two"'),
  )
  // They wait for a quarter of an hour, and come together.
  expect((await lettersTo(one.id)).filter(mail => mail.subject.includes('ew ticket'))).toHaveLength(1)
  const { rows } = await sql<{ items: { title: string }[] }>`
    select items from notice where user_id = ${one.id} and kind = 'ticket_opened' order by id desc limit 1`.execute(
    db(),
  )
  expect(rows[0]!.items.map(({ title }) => title)).toEqual(['Second', 'Third'])
  expect(await lettersTo(other.id)).toEqual([])
  expect(await lettersTo(banned.id)).toEqual([])
})

test('a customer writes so many messages at once, in all tickets together; staff and others go on', async () => {
  const [user, another, moderator] = [await server.user(), await server.user(), await staff()]
  const { id } = await opened(user)
  const outcomes = await Promise.allSettled(
    Array.from({ length: messageLimit.burst + 5 }, (_, n) =>
      user.client.support.send({ id, content: `Message ${n}` }),
    ),
  )
  const refused = outcomes.filter(each => each.status === 'rejected')
  // The ticket took one; while they were sent, one or two came back.
  expect(refused.length).toBeGreaterThanOrEqual(3)
  expect(refused.every(each => each.reason.code === 'rate_limited')).toBe(true)
  await expect(opened(user)).rejects.toMatchObject({ code: 'rate_limited' })
  const { items } = await user.client.support.messages({ id, limit: 100 })
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, n) => n + 1))
  await moderator.client.support.staffSend({ id, content: 'Yes?' })
  await opened(another)
})
