import { createClient } from '@ingot/sdk/client'
import { expect, test } from 'vitest'
import { useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })

test('the inbox of a test cloud shows mails and messages to phones, each with its links', async () => {
  const ask = (body: object) =>
    server.fetch('/auth/v1/otp', { method: 'POST', body: JSON.stringify(body) }).then(answer => answer.status)
  expect(await ask({ email: 'ada@example.com' })).toBe(200)
  expect(await ask({ phone: '+4915112345678' })).toBe(200)
  const { items } = await createClient({ baseUrl: server.url }).dev.mail({})
  expect(items).toMatchObject([
    { kind: 'sms', to: '+4915112345678', subject: '', links: [] },
    { kind: 'mail', to: 'ada@example.com', links: [expect.stringContaining('/auth/v1/verify?token=')] },
  ])
  expect(items[0]!.text).toMatch(/^\d{6} is your Ingot code/)
})
