/** Templates that customers propose for everybody: what staff approve is what was proposed, and nothing sealed is in it. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, useTestServer } from '../product/test-server.ts'
import { ownTemplate } from './test-rows.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
let admin: TestUser
beforeAll(async () => {
  admin = await server.user()
  await sql`insert into user_roles (user_id, role) values (${admin.id}, 'admin')`.execute(db())
})
const full = ownTemplate({
  description: 'Serves a model.',
  env: { MODEL: 'small' },
  secrets: { HF_TOKEN: 'hunter2-of-the-author' },
  ports: [8000],
  start_command: 'serve --port 8000',
  readme: '# Serves',
})
const refused = { code: 'invalid_state' }

test('what is approved is frozen as it was proposed: later changes are not public before they are approved too', async () => {
  const [author, stranger] = [await server.user('5'), await server.user('50')]
  const { id } = await author.client.templates.create(full)
  const proposed = await author.client.templates.propose({ id })
  expect(proposed.review).toMatchObject({ version: 1, status: 'pending', reason: null })
  await expect(author.client.templates.propose({ id })).rejects.toMatchObject(refused)
  // Changed between the proposal and the decision.
  await author.client.templates.update({
    id,
    name: 'Sneaked in',
    start_command: 'mine-coins',
    env: { MODEL: 'evil' },
  })
  const waiting = (await admin.client.templates.reviews({ status: 'pending' })).items.find(
    each => each.template_id === id,
  )!
  expect(waiting).toMatchObject({
    email: `${author.id}@example.com`,
    proposed: {
      name: 'Mine',
      start_command: 'serve --port 8000',
      env: { MODEL: 'small' },
      secret_names: ['HF_TOKEN'],
    },
    published: null,
  })
  expect(JSON.stringify(waiting)).not.toContain('hunter2')
  const listed = async () => (await stranger.client.templates.list()).items.filter(each => each.is_community)
  expect(await listed()).toEqual([])
  await admin.client.templates.approve({ id: waiting.id })
  await expect(admin.client.templates.approve({ id: waiting.id })).rejects.toMatchObject(refused)
  const [shown] = await listed()
  expect(shown).toMatchObject({ name: 'Mine', visibility: 'public', is_public: true, is_community: true })
  const own = await author.client.templates.get({ id })
  expect(own).toMatchObject({
    name: 'Sneaked in',
    public_id: shown!.id,
    review: { status: 'approved', version: 1 },
  })
  const seen = () => stranger.client.templates.get({ id: shown!.id })
  expect(await seen()).toMatchObject({
    start_command: 'serve --port 8000',
    env: { MODEL: 'small' },
    secret_names: ['HF_TOKEN'],
    has_registry_credentials: false,
    share_key: null,
    is_mine: false,
    review: null,
    public_id: null,
  })
  // Its author neither: only another proposal changes it.
  await expect(author.client.templates.update({ id: shown!.id, name: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(stranger.client.templates.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  const { id: box } = await stranger.client.instances.create(a40({ template_id: shown!.id, start: false }))
  const { rows } = await sql<{ secrets: Buffer | null; command: string[] }>`
    select secrets, command from instance_template where instance_id = ${box}`.execute(db())
  expect(rows[0]).toEqual({ secrets: null, command: ['/bin/sh', '-c', 'serve --port 8000'] })

  // The second version takes its place under the same id.
  await author.client.templates.propose({ id })
  const second = (await admin.client.templates.reviews({ status: 'pending' })).items.find(
    each => each.template_id === id,
  )!
  expect(second).toMatchObject({ version: 2, published: { name: 'Mine' }, published_version: 1 })
  expect(await seen()).toMatchObject({ name: 'Mine' })
  await admin.client.templates.reject({ id: second.id, reason: ' It mines coins. ' })
  expect(await seen()).toMatchObject({ name: 'Mine' })
  expect((await author.client.templates.get({ id })).review).toMatchObject({
    status: 'rejected',
    reason: 'It mines coins.',
    version: 2,
  })
  await author.client.templates.update({ id, name: 'Better', start_command: 'serve --port 9000' })
  const third = (await author.client.templates.propose({ id })).review!
  await admin.client.templates.approve({ id: third.id })
  expect(await seen()).toMatchObject({ name: 'Better', start_command: 'serve --port 9000', id: shown!.id })
  expect((await stranger.client.instances.get({ id: box })).template_name).toBe('Better')

  const { rows: log } = await sql<{ operation: string; after: object; reason: string | null }>`
    select operation, after, reason from audit_log where subject_kind = 'template' and user_id = ${author.id} order by id`.execute(
    db(),
  )
  expect(log).toMatchObject([
    { operation: 'approveTemplate', after: { status: 'approved', version: 1 } },
    { operation: 'rejectTemplate', after: { status: 'rejected', version: 2 }, reason: 'It mines coins.' },
    { operation: 'approveTemplate', after: { status: 'approved', version: 3 } },
  ])
})

test('staff take an approved one out again with a reason, authors withdraw theirs, and what was deployed stays', async () => {
  const author = await server.user('50')
  const { client } = author
  const { id } = await client.templates.create(full)
  await expect(client.templates.withdraw({ id })).rejects.toMatchObject(refused)
  const approve = async () => {
    const { review } = await client.templates.propose({ id })
    await admin.client.templates.approve({ id: review!.id })
    return { review: review!.id, shown: (await client.templates.get({ id })).public_id! }
  }
  const one = await approve()
  await admin.client.templates.reject({ id: one.review, reason: 'Its image is gone.' })
  await expect(client.templates.get({ id: one.shown })).rejects.toMatchObject({ code: 'not_found' })
  await expect(admin.client.templates.reject({ id: one.review, reason: 'x' })).rejects.toMatchObject(refused)
  const two = await approve()
  const { id: box } = await client.instances.create(a40({ template_id: two.shown, start: false }))
  expect(await client.templates.withdraw({ id })).toMatchObject({
    public_id: null,
    review: { status: 'withdrawn' },
  })
  await expect(client.templates.get({ id: two.shown })).rejects.toMatchObject({ code: 'not_found' })
  expect((await client.instances.get({ id: box })).template_name).toBe('Custom Template')
  const three = await approve()
  await client.templates.delete({ id })
  await expect(client.templates.get({ id: three.shown })).rejects.toMatchObject({ code: 'not_found' })
  expect((await admin.client.templates.reviews({})).items.filter(each => each.user_id === author.id)).toEqual(
    [],
  )
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from notice where user_id = ${author.id} and kind = 'template_reviewed'`.execute(
    db(),
  )
  expect(rows[0]!.n).toBe(1)
})

test('of two who decide at once one does; credentials, too many at a time and another’s are refused', async () => {
  const [author, stranger] = [await server.user('5'), await server.user('5')]
  const { client } = author
  const withKey = await client.templates.create({
    ...full,
    registry_credentials: { username: 'a', password: 'b' },
  })
  await expect(client.templates.propose({ id: withKey.id })).rejects.toMatchObject({
    ...refused,
    message: /credentials/,
  })
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push((await client.templates.create({ ...full, name: `t${n}` })).id)
  await expect(stranger.client.templates.propose({ id: ids[0]! })).rejects.toMatchObject({
    code: 'not_found',
  })
  for (const id of ids.slice(0, 5)) await client.templates.propose({ id })
  await expect(client.templates.propose({ id: ids[5]! })).rejects.toMatchObject({
    ...refused,
    message: /^5 of your/,
  })
  const review = (await client.templates.get({ id: ids[0]! })).review!
  const results = await Promise.allSettled([
    admin.client.templates.approve({ id: review.id }),
    admin.client.templates.approve({ id: review.id }),
    client.templates.withdraw({ id: ids[0]! }),
  ])
  const after = await client.templates.get({ id: ids[0]! })
  expect(results.slice(0, 2).filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  expect(after.public_id === null).toBe(after.review!.status !== 'approved')
  const first = await admin.client.templates.reviews({ limit: 2 })
  const next = await admin.client.templates.reviews({ limit: 50, cursor: first.next_cursor! })
  const all = [...first.items, ...next.items].map(({ id }) => id)
  expect(new Set(all).size).toBe(all.length)
})
