import { describe, expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'
import { message, onlyInquiry, refusal, useTestForms } from './test-forms.ts'

const server = useTestServer({ worker: false })
const { visitor, countOf, lettersTo, administrator } = useTestForms(server)

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
