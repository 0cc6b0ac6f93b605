import { cvNotWhole, cvTooLarge, cvTooLate, cvWrongType, sampleJobRefusal } from '@ingot/contracts/site'
import type { SiteFile } from '@ingot/contracts/site/content'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'
import { application, pdf, refusal, useTestForms } from './test-forms.ts'

const server = useTestServer({ worker: false })
const { db, visitor, post, countOf, lettersTo, administrator } = useTestForms(server)

/** A ZIP archive whose entries are not compressed. */
function zip(entries: Readonly<Record<string, string>>): Buffer<ArrayBuffer> {
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

const give = (siteFile: SiteFile) => void Object.assign(server.services, { siteFile })
const job = {
  department: 'Infrastructure',
  location: 'Remote',
  type: 'Full-time',
  salary: '$140,000',
  experience: 'Three years',
  description: 'You keep machines honest.',
  requirements: ['Linux'],
  responsibilities: ['Hosts'],
  benefits: ['Leave'],
  team: 'Five people',
  reporting_to: 'Head of hardware',
}

describe('an application', () => {
  test('is not collected while the job is sample content', async () => {
    for (const call of [
      () => visitor().site.apply(application()),
      () => visitor().site.sendCv({ job_id: 'devops-engineer', cv_name: 'cv.pdf' }, { body: pdf }),
    ]) {
      const error = await refusal(call())
      expect([error.code, error.message]).toEqual(['invalid_state', sampleJobRefusal])
    }
    expect([await countOf('site_inquiry'), await countOf('site_cv')]).toEqual([0, 0])
  })

  describe('for a job that exists', () => {
    beforeEach(() => {
      // As an operator does it who offers the job.
      give({ jobs: [{ ...job, id: 'devops-engineer', title: 'DevOps Engineer' }] })
      return () => give({})
    })
    const sendCv = (body: Buffer<ArrayBuffer>, cv_name: string, sha256?: string) =>
      visitor().site.sendCv({ job_id: 'devops-engineer', cv_name, sha256 }, { body })
    const apply = async (cv: Buffer<ArrayBuffer>, name: string) =>
      visitor().site.apply(application((await sendCv(cv, name)).ticket))

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
      expect((await refusal(apply(bytes, name))).fields).toEqual({ cv: cvWrongType })
      expect(await countOf('site_cv')).toBe(0)
      expect(await countOf('site_inquiry')).toBe(0)
    })

    test('5 MB are taken, one byte more is named as too large, 20 MB are refused clearly', async () => {
      const exact = Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024 - pdf.length, 0x20)])
      await apply(exact, 'cv.pdf')
      expect(await countOf('site_inquiry', 'file_bytes = 5242880')).toBe(1)
      expect((await refusal(apply(Buffer.concat([exact, Buffer.from(' ')]), 'cv.pdf'))).fields).toEqual({
        cv: cvTooLarge,
      })
      expect(await refusal(apply(Buffer.alloc(20 * 1024 * 1024, 0x20), 'cv.pdf'))).toMatchObject({
        code: 'body_too_large',
      })
    })

    test('a CV is for one application, within the hour, and only as it was sent; what waits too long is deleted', async () => {
      const sha256 = createHash('sha256').update(pdf).digest('hex')
      expect((await refusal(sendCv(pdf, 'cv.pdf', '0'.repeat(64)))).fields).toEqual({
        cv: cvNotWhole,
      })
      const { ticket } = await sendCv(pdf, 'cv.pdf', sha256)
      const late = await sendCv(pdf, 'cv.pdf')
      const { rows } = await sql<{
        text: string
      }>`select string_agg(c::text, '') as text from site_cv c`.execute(db())
      expect(rows[0]!.text).not.toContain(ticket)
      expect(rows[0]!.text).not.toContain(pdf.subarray(0, 8).toString('hex'))
      // What is wrong with the rest of an application leaves its CV.
      expect((await post('/v1/applications', { ...application(ticket), email: 'x' })).status).toBe(422)
      await visitor().site.apply(application(ticket))
      const again = { cv: cvTooLate }
      expect((await refusal(visitor().site.apply({ ...application(ticket), letter: 'Two' }))).fields).toEqual(
        again,
      )
      await sql`update site_cv set expires_at = now()`.execute(db())
      expect((await refusal(visitor().site.apply(application(late.ticket)))).fields).toEqual(again)
      await sql`select site_sweep(90)`.execute(db())
      expect([await countOf('site_cv'), await countOf('site_inquiry')]).toEqual([0, 1])
    })

    test('no more wait than there is room for', async () => {
      await sql`insert into site_cv select sha256(n::text::bytea), 'a', 'text/plain', 'a', now() + interval '1 hour'
        from generate_series(1, 100) n`.execute(db())
      expect(await refusal(sendCv(pdf, 'cv.pdf'))).toMatchObject({ code: 'rate_limited' })
    })

    test.each([
      ['a path for a name', '/v1/applications/cv?job_id=devops-engineer&cv_name=../../etc/cv.pdf', 'cv_name'],
      ['an unknown job', '/v1/applications/cv?job_id=ceo&cv_name=cv.pdf', 'job_id'],
      ['half a checksum', '/v1/applications/cv?job_id=devops-engineer&cv_name=cv.pdf&sha256=00', 'sha256'],
    ])('%s is refused by the name of the field', async (_, path, field) => {
      const response = await server.fetch(path, { method: 'POST', body: 'text' })
      expect(response.status).toBe(422)
      expect(Object.keys((await response.json()).error.fields)).toEqual([field])
    })
  })
})
