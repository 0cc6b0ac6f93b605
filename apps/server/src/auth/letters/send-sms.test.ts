import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { apiVersion, createTestAuth, newPhone, type TestAuth } from '../testing/auth-server.ts'
import { digits, inbox, password, useTestPhones } from '../testing/phones.ts'

const { auth, withPhone } = useTestPhones()

test('all messages together are limited, and a refused one leaves nothing behind', async () => {
  await using thrifty = await createTestAuth({ sms: { burst: 1, perSecond: 0.0001 } }, auth.database, inbox)
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
  expect((await thrifty.client().signInWithOtp({ phone: newPhone() })).error).toBeNull()
  const phone = newPhone()
  const { error } = await thrifty.client().signInWithOtp({ phone })
  expect(error).toMatchObject({
    status: 429,
    code: 'over_sms_send_rate_limit',
    message: 'SMS rate limit exceeded',
  })
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
  expect((await thrifty.client().signInWithOtp({ phone })).error).toBeNull()
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
})

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return new URLSearchParams(Buffer.concat(parts).toString())
}

describe('a provider that takes messages over HTTP', () => {
  let provider: Server
  let provided: TestAuth
  const taken: { url: string; authorization: string | undefined; form: URLSearchParams }[] = []
  let answer = { status: 201, body: { sid: 'SM1', status: 'queued' } as object }

  beforeAll(async () => {
    provider = createServer((request, response) => {
      void readForm(request).then(form => {
        taken.push({ url: request.url!, authorization: request.headers.authorization, form })
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer.body))
      })
    })
    await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    const { sms } = readConfig({
      INGOT_SMS_URL: `http://127.0.0.1:${port}/`,
      INGOT_SMS_ACCOUNT: 'AC1',
      INGOT_SMS_TOKEN: 'hush',
      INGOT_SMS_FROM: '+15550100',
    })
    provided = await createTestAuth({}, auth.database, { sms })
  })
  afterAll(async () => {
    await provided[Symbol.asyncDispose]()
    await new Promise(resolve => provider.close(resolve))
  })

  test('gets them as Twilio would, and its id is the answer’s', async () => {
    const { phone } = await withPhone()
    const { data, error } = await provided.client().signInWithOtp({ phone })
    expect(error).toBeNull()
    expect(data.messageId).toBe('SM1')
    const sent = taken.at(-1)!
    expect(sent.url).toBe('/2010-04-01/Accounts/AC1/Messages.json')
    expect(sent.authorization).toBe(`Basic ${Buffer.from('AC1:hush').toString('base64')}`)
    expect(Object.fromEntries(sent.form)).toEqual({
      To: phone,
      From: '+15550100',
      Body: expect.stringMatching(/^\d{6} is your Ingot code/) as string,
    })
    const token = /^\d{6}/.exec(sent.form.get('Body')!)![0]
    expect((await provided.client().verifyOtp({ phone, token, type: 'sms' })).error).toBeNull()
    expect((await provided.call('GET', '/settings')).body).toMatchObject({ sms_provider: 'twilio' })
  })

  test('carries other channels', async () => {
    const phone = newPhone()
    expect(
      (await provided.client().signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error,
    ).toBeNull()
    expect(taken.at(-1)!.form.get('To')).toBe(`whatsapp:${phone}`)
    expect(taken.at(-1)!.form.get('From')).toBe('whatsapp:+15550100')
  })

  test.each([
    [400, { code: 21211, message: 'Invalid To number' }],
    [503, {}],
    [201, { sid: 'SM2', status: 'failed' }],
  ])(
    'that answers %i %j: told as such, nothing is written, and the next try need not wait',
    async (status, body) => {
      const phone = newPhone()
      const known = await withPhone()
      answer = { status, body }
      const failed = { status: 422, code: 'sms_send_failed' }
      expect((await provided.client().signUp({ phone, password })).error).toMatchObject(failed)
      expect((await provided.client().signInWithOtp({ phone })).error).toMatchObject(failed)
      const { client } = known
      const put = await provided.call('PUT', '/user', {
        token: known.token,
        headers: apiVersion,
        body: { phone, data: { touched: true } },
      })
      expect(put).toMatchObject({ status: 422, body: { code: 'sms_send_failed' } })
      expect((await client.getUser()).data.user!.user_metadata).not.toHaveProperty('touched')
      const { rows } =
        await sql`select 1 from auth_user where phone = ${digits(phone)} or new_phone = ${digits(phone)}`.execute(
          auth.database.kysely,
        )
      expect(rows).toEqual([])
      answer = { status: 201, body: { sid: 'SM3', status: 'queued' } }
      expect((await provided.client().signUp({ phone, password })).error).toBeNull()
    },
  )

  test('that cannot be reached is the same refusal', async () => {
    await using lost = await createTestAuth({}, auth.database, {
      sms: { kind: 'twilio', url: 'http://127.0.0.1:1', account: 'AC1', token: 'hush', from: 'MG1' },
    })
    const { error } = await lost.client().signInWithOtp({ phone: newPhone() })
    expect(error).toMatchObject({ status: 422, code: 'sms_send_failed' })
  })
})

describe('phones are offered', () => {
  const sms = (env: Record<string, string>) => readConfig(env).sms

  test('by the inbox of a test cloud, by a configured provider, or not at all', () => {
    expect(sms({})).toEqual({ kind: 'inbox' })
    expect(sms({ INGOT_HOST: '0.0.0.0' })).toBeNull()
    expect(sms({ INGOT_TRON_ENDPOINT: 'https://tron.example', INGOT_TRON_XPUB: 'xpub' })).toBeNull()
    const provider = {
      INGOT_SMS_URL: 'https://api.twilio.com/',
      INGOT_SMS_ACCOUNT: 'AC1',
      INGOT_SMS_TOKEN: 'hush',
      INGOT_SMS_FROM: '+15550100',
    }
    expect(sms({ ...provider, INGOT_HOST: '0.0.0.0' })).toEqual({
      kind: 'twilio',
      url: 'https://api.twilio.com',
      account: 'AC1',
      token: 'hush',
      from: '+15550100',
    })
    expect(() => sms({ ...provider, INGOT_SMS_TOKEN: '' })).toThrow(/INGOT_SMS_TOKEN/)
    expect(() => sms({ ...provider, INGOT_SMS_URL: 'http://api.twilio.com' })).toThrow(/https/)
  })
})
