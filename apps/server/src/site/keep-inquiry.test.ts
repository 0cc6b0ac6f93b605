import { maxEmailLength } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'
import { application, message, refusal, useTestForms } from './test-forms.ts'

const server = useTestServer({ worker: false })
const { db, visitor, post, countOf, lettersTo, administrator } = useTestForms(server)

describe('an inquiry', () => {
  test('is stored, its writer hears that it arrived, and nothing they typed is mailed', async () => {
    await visitor().site.inquire(message)
    const admin = await administrator()
    expect((await admin.client.site.inquiries()).items).toMatchObject([
      {
        kind: 'contact',
        status: 'open',
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        company: 'Engines',
        subject: 'Sales',
        message: message.message,
        file: null,
        answers: [],
        closed_at: null,
      },
    ])
    const [letter, ...more] = await lettersTo('ada@example.com')
    expect(more).toEqual([])
    expect(letter!.subject).toBe('Your message to Ingot arrived')
    expect(letter!.text).not.toMatch(/Ada|Lovelace|Engines|H100/)
  })

  test('sent again is stored once, also by twenty at the same moment', async () => {
    await Promise.all(Array.from({ length: 20 }, () => visitor().site.inquire(message)))
    await visitor().site.inquire({ ...message, email: 'ada@example.com' })
    expect(await countOf('site_inquiry')).toBe(1)
    expect(await countOf('mail')).toBe(1)
    await visitor().site.inquire({ ...message, message: 'And one more thing.' })
    expect(await countOf('site_inquiry')).toBe(2)
  })

  test('comes from any address that can have an account, also the longest', async () => {
    const email = `${'a'.repeat(243)}@example.com`
    expect(email).toHaveLength(maxEmailLength)
    await visitor().site.inquire({ ...message, email })
    await visitor().site.subscribe({ email })
    await visitor().site.joinWaitlist({ email, product: 'model-registry' })
    expect(await countOf('site_inquiry')).toBe(1)
    expect(await countOf('site_subscription')).toBe(1)
    expect(await countOf('site_waitlist')).toBe(1)
    expect(await refusal(visitor().site.subscribe({ email: `a${email}` }))).toMatchObject({ status: 422 })
  })

  test('sent again after a day is stored again', async () => {
    await visitor().site.inquire(message)
    await sql`update site_sent set sent_at = now() - interval '25 hours'`.execute(db())
    await visitor().site.inquire(message)
    expect(await countOf('site_inquiry')).toBe(2)
  })

  test('takes an Idempotency-Key: another content under it is refused', async () => {
    const headers = { 'idempotency-key': 'form-1' }
    expect((await post('/v1/inquiries', message, headers)).status).toBe(201)
    expect((await post('/v1/inquiries', message, headers)).status).toBe(201)
    const other = await post('/v1/inquiries', { ...message, message: 'Other.' }, headers)
    expect([other.status, await other.json()]).toMatchObject([
      409,
      { error: { code: 'idempotency_key_reused' } },
    ])
    expect(await countOf('site_inquiry')).toBe(1)
  })

  test('script tags are text like any other', async () => {
    const script = `<script>alert(1)</script><img src=x onerror="alert('1')">`
    await visitor().site.inquire({ ...message, first_name: '<b>', company: script, message: script })
    const admin = await administrator()
    const response = await server.fetch('/v1/admin/inquiries', { token: admin.token })
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect((await response.json()).items[0]).toMatchObject({ company: script, message: script })
  })

  test.each([
    ['a name of blanks', { first_name: '  ' }, 'first_name'],
    ['a name of several lines', { last_name: 'a\r\nBcc: b@example.com' }, 'last_name'],
    ['no address', { email: 'ada' }, 'email'],
    ['two addresses', { email: 'ada@example.com,bob@example.com' }, 'email'],
    ['an unknown type', { type: 'spam' }, 'type'],
    ['nothing to say', { message: ' \n ' }, 'message'],
    ['too much to say', { message: 'a'.repeat(5001) }, 'message'],
    ['a zero byte', { message: 'a\u0000b' }, 'message'],
    ['a field of its own', { admin: true }, 'admin'],
  ])('%s is refused by the name of the field', async (_, change, field) => {
    const response = await post('/v1/inquiries', { ...message, ...change })
    expect(response.status).toBe(422)
    expect(Object.keys((await response.json()).error.fields)).toEqual([field])
    expect(await countOf('site_inquiry')).toBe(0)
  })

  test('letters of any script, and several lines, arrive as they were written', async () => {
    const text = 'Grüße\r\n\tаб\n🚀 مرحبا'
    await visitor().site.inquire({ ...message, first_name: 'Ådå', last_name: '李', message: text })
    const admin = await administrator()
    expect((await admin.client.site.inquiries()).items[0]).toMatchObject({ name: 'Ådå 李', message: text })
  })

  test('a body of 10 MB is refused clearly', async () => {
    const response = await post('/v1/inquiries', { ...message, message: 'a'.repeat(10 * 1024 * 1024) })
    expect([response.status, (await response.json()).error.code]).toEqual([413, 'body_too_large'])
  })

  test('whoever fills in the trap is answered alike, and nothing is kept', async () => {
    const trap = 'https://spam.example'
    for (const [path, body] of [
      ['/v1/inquiries', message],
      ['/v1/subscriptions', { email: 'bot@example.com' }],
      ['/v1/waitlist', { email: 'bot@example.com', product: 'model-registry' }],
      [
        '/v1/document-requests',
        { document: 'soc-2-report', name: 'B', email: 'bot@example.com', company: 'C' },
      ],
      ['/v1/applications', application()],
    ] as const) {
      const response = await post(path, { ...body, trap })
      expect([path, response.status, await response.json()]).toEqual([path, 201, {}])
    }
    for (const table of ['site_inquiry', 'site_subscription', 'site_waitlist', 'site_sent', 'mail'])
      expect([table, await countOf(table)]).toEqual([table, 0])
  })

  test('one sender writes thirty times, then waits; what was sent is not lost', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 33 },
        async (_, n) => (await post('/v1/inquiries', { ...message, message: `No. ${n}` })).status,
      ),
    )
    expect(statuses.filter(status => status === 201)).toHaveLength(30)
    expect(statuses.filter(status => status === 429)).toHaveLength(3)
    expect(await countOf('site_inquiry')).toBe(30)
    expect(await visitor().site.joinWaitlist({ email: 'a@example.com', product: 'cloud-storage' })).toEqual(
      {},
    )
    // However often somebody types an address, few letters go to it.
    expect(await lettersTo('ada@example.com')).toHaveLength(5)
  })

  test('a sender who wrote too often is refused before the body is read', async () => {
    await sql`select auth_take_token('sendInquiry:127.0.0.1', 1, 0)`.execute(db())
    const response = await post('/v1/inquiries', { ...message, message: 'a'.repeat(1024 * 1024) })
    expect(response.status).toBe(429)
  })
})

test('a document request arrives once, with the name of the document', async () => {
  const request = {
    document: 'soc-2-report',
    name: 'Alan',
    email: 'alan@example.com',
    company: 'Bombe',
  } as const
  await Promise.all(Array.from({ length: 5 }, () => visitor().site.requestDocument(request)))
  const { client } = await administrator()
  expect((await client.site.inquiries()).items).toMatchObject([
    { kind: 'document', subject: 'SOC 2 report', company: 'Bombe', message: '' },
  ])
  expect(await lettersTo('alan@example.com')).toHaveLength(1)
})
