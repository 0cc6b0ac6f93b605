import { type Client, createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { useTestServer } from '../../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
let admin: Client
beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
  const visitor = createClient({ baseUrl: server.url })
  for (const email of ['ada@example.com', 'Grace@example.com', '+cmd@example.com'])
    await visitor.site.joinWaitlist({ email, product: 'cloud-storage' })
  await visitor.site.joinWaitlist({ email: 'ada@example.com', product: 'edge-computing' })
  await sql`insert into site_subscription (id, email, confirmed_at, ended_at) values
    ('01980000-0000-7000-8000-000000000001', 'confirmed@example.com', '2026-11-20T10:00:00Z', null),
    ('01980000-0000-7000-8000-000000000002', 'asked@example.com', null, null),
    ('01980000-0000-7000-8000-000000000003', null, '2026-11-20T10:00:00Z', '2026-11-21T10:00:00Z')`.execute(
    db(),
  )
  await visitor.site.inquire({
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: 'ada@example.com',
    type: 'sales',
    message: '=1+1\n"Eight" H100, please',
  })
})
const textOf = async (file: Promise<{ text(): Promise<string> }>) => (await (await file).text()).split('\r\n')

test('waiting lists are read page by page, by product and by address', async () => {
  const first = await admin.site.waitlist({ limit: 3 })
  expect(first.items.map(({ email }) => email)).toEqual([
    'ada@example.com',
    '+cmd@example.com',
    'grace@example.com',
  ])
  const second = await admin.site.waitlist({ limit: 3, cursor: first.next_cursor! })
  expect(second).toMatchObject({ items: [{ product: 'cloud-storage' }], next_cursor: null })
  expect((await admin.site.waitlist({ product: 'edge-computing' })).items).toHaveLength(1)
  expect((await admin.site.waitlist({ search: 'GRACE@' })).items).toHaveLength(1)
  expect((await admin.site.waitlist({ search: '%' })).items).toEqual([])
})

test('subscribers say whether they confirmed, and whoever unsubscribed is none', async () => {
  const emails = async (filter: object) =>
    (await admin.site.subscribers(filter)).items.map(({ email }) => email)
  expect(await emails({})).toEqual(['asked@example.com', 'confirmed@example.com'])
  expect(await emails({ confirmed: true })).toEqual(['confirmed@example.com'])
  expect(await emails({ confirmed: false })).toEqual(['asked@example.com'])
})

test('each is a spreadsheet too, of what the filter finds, which runs nothing', async () => {
  const waiting = await textOf(admin.site.exportWaitlist({ product: 'cloud-storage' }))
  expect(waiting[0]).toBe('email,product,since')
  expect(waiting).toHaveLength(5)
  expect(waiting[1]).toMatch(/^'\+cmd@example\.com,cloud-storage,20\d\d-/)
  expect(await textOf(admin.site.exportSubscribers({}))).toMatchObject({
    0: 'email,confirmed,confirmed_at,since',
    2: expect.stringMatching(/^confirmed@example\.com,yes,2026-11-20T10:00:00/),
    length: 4,
  })
  const inquiries = (await (await admin.site.exportInquiries({ kind: 'contact' })).text()).trim()
  expect(inquiries).toContain('Ada Lovelace')
  expect(inquiries).toContain(`"'=1+1\n""Eight"" H100, please"`)
  expect((await textOf(admin.site.exportInquiries({ kind: 'document' }))).length).toBe(2)
})
