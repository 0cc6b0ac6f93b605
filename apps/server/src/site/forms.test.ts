/** What visitors send, over HTTP and on real PostgreSQL: the forms, the CVs, the subscription, and who reads them. */
import { IngotError } from '@ingot/contracts/errors'
import { cvTooLarge, cvWrongType, type jobs as Jobs, jobs, sampleJobRefusal } from '@ingot/contracts/site'
import { createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestUser, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const visitor = () => createClient({ baseUrl: server.url })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  server.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
const refusal = (work: Promise<unknown>): Promise<IngotError> =>
  work.then(
    () => {
      throw new Error('it was accepted')
    },
    error => error as IngotError,
  )
const countOf = async (table: string, where = 'true'): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*)::int as n from ${sql.raw(`${table} where ${where}`)}`.execute(
      db(),
    )
  ).rows[0]!.n
const lettersTo = async (email: string) =>
  (await listMail(db(), server.services.vault)).filter(mail => mail.to === email)
const tokenIn = (text: string): string => /\?token=([\w-]+)/.exec(text)![1]!

async function administrator(role: 'admin' | 'moderator' = 'admin'): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, ${role})`.execute(db())
  return user
}

const onlyInquiry = async (client: TestUser['client']): Promise<string> =>
  (await client.site.inquiries()).items[0]!.id

const message = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'Ada@Example.com',
  company: 'Engines',
  type: 'sales',
  message: 'Eight H100 for a month, please.',
} as const

beforeEach(async () => {
  await sql`truncate site_inquiry, site_answer, site_sent, site_subscription, site_token, site_waitlist, auth_bucket, mail`.execute(
    db(),
  )
})

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

describe('administrators', () => {
  test('answer by mail, as often as needed, until they close it', async () => {
    await visitor().site.inquire(message)
    const { client } = await administrator()
    const id = await onlyInquiry(client)
    await client.site.answerInquiry({ id, text: 'Yes, from Monday on.' })
    const answered = await client.site.answerInquiry({ id, text: 'And here is the offer.' })
    expect(answered).toMatchObject({
      status: 'answered',
      answers: [{ text: 'Yes, from Monday on.' }, { text: 'And here is the offer.' }],
    })
    const letters = await lettersTo('ada@example.com')
    expect(letters.map(letter => letter.subject)).toEqual([
      'Answer to what you sent to Ingot: Sales',
      'Answer to what you sent to Ingot: Sales',
      'Your message to Ingot arrived',
    ])
    expect(letters[0]!.text).toMatch(/^And here is the offer\.[^]*> Eight H100 for a month, please\./)

    const closed = await client.site.closeInquiry({ id })
    expect(closed.status).toBe('closed')
    expect(await client.site.closeInquiry({ id })).toEqual(closed)
    expect(await refusal(client.site.answerInquiry({ id, text: 'Late.' }))).toMatchObject({
      code: 'invalid_state',
    })
    expect(await countOf('mail')).toBe(3)
  })

  test('see the newest first, page by page and by status', async () => {
    for (let n = 1; n <= 5; n++) await visitor().site.inquire({ ...message, message: `No. ${n}` })
    const { client } = await administrator()
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await client.site.inquiries({ limit: 2, ...(cursor ? { cursor } : {}) })
      seen.push(...page.items.map(each => each.message))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['No. 5', 'No. 4', 'No. 3', 'No. 2', 'No. 1'])
    const [newest] = (await client.site.inquiries()).items
    await client.site.closeInquiry({ id: newest!.id })
    expect((await client.site.inquiries({ status: 'closed' })).items.map(each => each.id)).toEqual([
      newest!.id,
    ])
    expect((await client.site.inquiries({ status: 'open' })).items).toHaveLength(4)
  })

  test('nobody else reads or answers', async () => {
    await visitor().site.inquire(message)
    const admin = await administrator()
    const id = await onlyInquiry(admin.client)
    const user = await server.user()
    const moderator = await administrator('moderator')
    const calls = [
      ['GET', '/v1/admin/inquiries'],
      ['GET', `/v1/admin/inquiries/${id}/file`],
      ['POST', `/v1/admin/inquiries/${id}/answer`],
      ['POST', `/v1/admin/inquiries/${id}/close`],
    ] as const
    for (const [method, path] of calls) {
      const body = method === 'POST' ? JSON.stringify({ text: 'x' }) : undefined
      const ask = async (token?: string) => (await server.fetch(path, { method, body, token })).status
      expect([path, await ask(), await ask(user.token)]).toEqual([path, 401, 403])
      if (method === 'POST') expect([path, await ask(moderator.token)]).toEqual([path, 403])
    }
    const stranger = '01980000-0000-7000-8000-0000000000ff'
    expect(await refusal(admin.client.site.closeInquiry({ id: stranger }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(admin.client.site.answerInquiry({ id: stranger, text: 'x' }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(admin.client.site.inquiryFile({ id }))).toMatchObject({ code: 'not_found' })
    expect(await countOf('mail')).toBe(1)
  })
})

const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
const application = (cv: Buffer = pdf, cv_name = 'cv.pdf') =>
  ({
    job_id: 'devops-engineer',
    name: 'Grace Hopper',
    email: 'grace@example.com',
    letter: 'I would like to.',
    cv_name,
    cv_base64: cv.toString('base64'),
  }) as const

/** A ZIP archive whose entries are not compressed. */
function zip(entries: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(entries)) {
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50)
    head.writeUInt32LE(content.length, 18)
    head.writeUInt32LE(content.length, 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    local.push(head, Buffer.from(name + content))
    directory.push(entry, Buffer.from(name))
    at += 30 + name.length + content.length
  }
  const names = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(directory.length / 2, 10)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...local, names, end])
}
const word = { '[Content_Types].xml': '<Types/>', 'word/document.xml': '<document/>' }
const docx = zip(word)
const odt = zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<c/>' })

describe('an application', () => {
  test('is not collected while the job is sample content', async () => {
    const error = await refusal(visitor().site.apply(application()))
    expect([error.code, error.message]).toEqual(['invalid_state', sampleJobRefusal])
    expect(await countOf('site_inquiry')).toBe(0)
  })

  describe('for a job that exists', () => {
    beforeEach(() => {
      // As an operator does it who offers the job.
      const job = jobs['devops-engineer'] as {
        -readonly [K in keyof (typeof Jobs)['devops-engineer']]: boolean | string
      }
      job.sample = false
      return () => void (job.sample = true)
    })
    const apply = (cv: Buffer, name: string) => visitor().site.apply(application(cv, name))

    test.each([
      ['cv.pdf', pdf, 'application/pdf'],
      [
        'Lebenslauf Grace.DOCX',
        docx,
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ],
      ['cv.odt', odt, 'application/vnd.oasis.opendocument.text'],
      ['cv.txt', Buffer.from('Grace Hopper\r\n\tAdmiral ⚓\n'), 'text/plain'],
    ])('arrives with %s, which only an administrator gets, byte for byte', async (name, bytes, type) => {
      await apply(bytes, name)
      await apply(bytes, name)
      const { client } = await administrator()
      const { items } = await client.site.inquiries()
      expect(items).toMatchObject([
        { kind: 'application', subject: 'DevOps Engineer', file: { name, type, bytes: bytes.length } },
      ])
      const file = await client.site.inquiryFile({ id: items[0]!.id })
      expect(file).toEqual({ name, type, base64: bytes.toString('base64') })
      const { rows } = await sql<{ file_sealed: Buffer }>`select file_sealed from site_inquiry`.execute(db())
      expect(rows[0]!.file_sealed.includes(bytes.subarray(0, 8))).toBe(false)
      expect((await lettersTo('grace@example.com')).map(letter => letter.subject)).toEqual([
        'Your application to Ingot arrived',
      ])
    })

    test.each([
      ['a program that calls itself a PDF', Buffer.from('MZ\u0090\u0000\u0003'), 'cv.pdf'],
      ['a page that calls itself a PDF', Buffer.from('<script>alert(1)</script>'), 'cv.pdf'],
      ['a page', Buffer.from('<script>alert(1)</script>'), 'cv.html'],
      ['a PDF that calls itself a page', pdf, 'cv.html'],
      ['an archive of other things', zip({ 'a.txt': 'a' }), 'cv.docx'],
      ['an archive without a directory', docx.subarray(0, 60), 'cv.docx'],
      [
        'an archive with a false directory',
        Buffer.concat([docx.subarray(0, -6), Buffer.alloc(6, 0xff)]),
        'cv.docx',
      ],
      ['a document with macros', zip({ ...word, 'word/vbaProject.bin': 'x' }), 'cv.docx'],
      ['text that is not UTF-8', Buffer.from([0x47, 0xff, 0xfe, 0x0a]), 'cv.txt'],
      ['text with control characters', Buffer.from('a\u001b[2J'), 'cv.txt'],
      ['blank text', Buffer.from(' \n'), 'cv.txt'],
    ])('%s is refused', async (_, bytes, name) => {
      expect((await refusal(apply(bytes, name))).fields).toEqual({ cv_base64: cvWrongType })
      expect(await countOf('site_inquiry')).toBe(0)
    })

    test('5 MB are taken, one byte more is named as too large, 20 MB are refused clearly', async () => {
      const exact = Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024 - pdf.length, 0x20)])
      await apply(exact, 'cv.pdf')
      expect(await countOf('site_inquiry', 'file_bytes = 5242880')).toBe(1)
      expect((await refusal(apply(Buffer.concat([exact, Buffer.from(' ')]), 'cv.pdf'))).fields).toEqual({
        cv_base64: cvTooLarge,
      })
      expect(await refusal(apply(Buffer.alloc(20 * 1024 * 1024, 0x20), 'cv.pdf'))).toMatchObject({
        code: 'body_too_large',
      })
    })

    test.each([
      ['not base64', { cv_base64: 'not base64!!' }, 'cv_base64'],
      ['a path for a name', { cv_name: '../../etc/cv.pdf' }, 'cv_name'],
      ['an unknown job', { job_id: 'ceo' }, 'job_id'],
    ])('%s is refused by the name of the field', async (_, change, field) => {
      const response = await post('/v1/applications', { ...application(), ...change })
      expect(response.status).toBe(422)
      expect(Object.keys((await response.json()).error.fields)).toEqual([field])
    })
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

test('a waiting list holds an address once per product', async () => {
  const join = (email: string, product: 'model-registry' | 'edge-computing') =>
    visitor().site.joinWaitlist({ email, product })
  await Promise.all(Array.from({ length: 20 }, () => join('ada@example.com', 'model-registry')))
  await join('ADA@example.com', 'model-registry')
  await join('ada@example.com', 'edge-computing')
  expect(await countOf('site_waitlist')).toBe(2)
})

describe('a subscription', () => {
  const email = 'reader@example.com'
  const subscribe = (address = email) => visitor().site.subscribe({ email: address })
  const confirmToken = async () => {
    await subscribe()
    return tokenIn((await lettersTo(email)).at(0)!.text)
  }

  test('begins with the link in the mail and ends with the link in any later one; the address is erased', async () => {
    const token = await confirmToken()
    expect(await countOf('site_subscription', 'confirmed_at is not null')).toBe(0)
    expect(await countOf('site_token', `hash = '${token}'::bytea`)).toBe(0)
    expect(await visitor().site.confirmSubscription({ token })).toEqual({ email })
    expect(await visitor().site.confirmSubscription({ token })).toEqual({ email })
    expect(await countOf('site_subscription', 'confirmed_at is not null')).toBe(1)

    const letters = await lettersTo(email)
    expect(letters).toHaveLength(2)
    const end = tokenIn(letters[0]!.text)
    expect(letters[0]!.links[0]).toContain('/unsubscribe?token=')
    expect(await refusal(visitor().site.confirmSubscription({ token: end }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(visitor().site.unsubscribe({ token }))).toMatchObject({ code: 'not_found' })
    await visitor().site.unsubscribe({ token: end })
    await visitor().site.unsubscribe({ token: end })
    expect(await countOf('site_subscription', 'email is null and ended_at is not null')).toBe(1)
    expect(await refusal(visitor().site.confirmSubscription({ token }))).toMatchObject({ code: 'not_found' })

    await subscribe()
    expect(await countOf('site_subscription', 'email is not null and confirmed_at is null')).toBe(1)
    expect(await lettersTo(email)).toHaveLength(3)
  })

  test('asked for by twenty at once is one mail, and none when it stands already', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => subscribe(n % 2 ? email : email.toUpperCase())))
    const letters = await lettersTo(email)
    expect(letters).toHaveLength(1)
    const token = tokenIn(letters[0]!.text)
    await Promise.all(Array.from({ length: 5 }, () => visitor().site.confirmSubscription({ token })))
    await sql`delete from site_sent`.execute(db())
    await subscribe()
    expect(await lettersTo(email)).toHaveLength(2)
    expect(await countOf('site_subscription')).toBe(1)
  })

  test('does not begin with a link that has expired or was made up', async () => {
    const token = await confirmToken()
    await sql`update site_token set expires_at = now() - interval '1 second'`.execute(db())
    for (const each of [token, 'made-up', 'a'.repeat(100)])
      expect(await refusal(visitor().site.confirmSubscription({ token: each }))).toMatchObject({
        code: 'not_found',
      })
    expect((await post('/v1/subscriptions/confirm', { token: 'a'.repeat(101) })).status).toBe(422)

    await sql`select site_sweep(90)`.execute(db())
    expect(await countOf('site_subscription')).toBe(0)
  })
})
