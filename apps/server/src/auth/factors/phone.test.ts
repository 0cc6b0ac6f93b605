import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuth, type SignedInClient, type TestAuth } from '../testing/auth-server.ts'
import { callAs, withTotp } from '../testing/factors.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({}, undefined, { sms: { kind: 'inbox' } })
})
afterAll(() => auth[Symbol.asyncDispose]())

const newPhone = () => `+4915${String(Math.random()).slice(2, 11)}`
const codeTo = async (phone: string) => /\d{6}/.exec((await auth.mailTo(phone))[0]!.text)![0]
const waitFor = (phone: string) =>
  sql`delete from auth_sending`.execute(auth.database.kysely).then(() => phone)

async function enrolled(user: SignedInClient, phone = newPhone(), friendlyName = 'phone') {
  const { data, error } = await user.client.mfa.enroll({ factorType: 'phone', phone, friendlyName })
  if (error) throw error
  return { factorId: data.id, phone }
}

describe('a phone as second factor', () => {
  test('is enrolled with its number, and challenged by a message whose code raises the session', async () => {
    const user = await auth.signedIn()
    const phone = newPhone()
    const { data } = await user.client.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'mine' })
    expect(data).toEqual({ id: expect.any(String) as string, type: 'phone', friendly_name: 'mine', phone })
    const { data: challenge } = await user.client.mfa.challenge({ factorId: data!.id })
    expect(challenge).toMatchObject({ type: 'phone' })
    const code = await codeTo(phone)
    const stored = await sql<{ code_sealed: Buffer }>`
      select code_sealed from auth_factor_challenge where id = ${challenge!.id}`.execute(auth.database.kysely)
    expect(stored.rows[0]!.code_sealed.includes(code)).toBe(false)
    const { error } = await user.client.mfa.verify({
      factorId: data!.id,
      challengeId: challenge!.id,
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    expect(error).toBeNull()
    const { claims } = (await user.client.getClaims()).data!
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/phone' }, { method: 'password' }] })
    expect((await user.client.mfa.listFactors()).data!.phone).toMatchObject([
      { id: data!.id, phone: phone.slice(1) },
    ])
    expect((await auth.mailTo(user.email))[0]!.text).toContain(
      `the phone number ending in ${phone.slice(-3)} ("mine")`,
    )
  })

  test('gets one message a minute, whichever factor or challenge asks', async () => {
    const user = await auth.signedIn()
    const { factorId, phone } = await enrolled(user)
    expect((await user.client.mfa.challenge({ factorId })).error).toBeNull()
    const { error } = await user.client.mfa.challenge({ factorId })
    expect(error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' })
    expect(error!.message).toMatch(/^For security purposes, you can only request this after \d+ seconds\.$/)
    expect(await auth.mailTo(phone)).toHaveLength(1)
    await waitFor(phone)
    expect((await user.client.mfa.challenge({ factorId })).error).toBeNull()
  })

  test('takes the code of this challenge alone; wrong ones are counted', async () => {
    const user = await auth.signedIn()
    const { factorId, phone } = await enrolled(user)
    const first = (await user.client.mfa.challenge({ factorId })).data!
    const code = await codeTo(phone)
    await waitFor(phone)
    const second = (await user.client.mfa.challenge({ factorId })).data!
    const latest = await codeTo(phone)
    if (code === latest) return
    const wrong = await user.client.mfa.verify({ factorId, challengeId: second.id, code })
    expect(wrong.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid MFA Phone code entered',
    })
    const { rows } = await sql`select failures from auth_factor where id = ${factorId}`.execute(
      auth.database.kysely,
    )
    expect(rows).toEqual([{ failures: 1 }])
    expect((await user.client.mfa.verify({ factorId, challengeId: first.id, code })).error).toBeNull()
  })

  test('that is verified is not enrolled twice; one that is not is replaced', async () => {
    const user = await auth.signedIn()
    const { phone, factorId } = await enrolled(user)
    const replacing = await enrolled(user, phone)
    expect(replacing.factorId).not.toBe(factorId)
    const challenge = (await user.client.mfa.challenge({ factorId: replacing.factorId })).data!
    await user.client.mfa.verify({
      factorId: replacing.factorId,
      challengeId: challenge.id,
      code: await codeTo(phone),
    })
    const again = await user.client.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'again' })
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' })
    expect((await user.client.mfa.listFactors()).data!.all).toHaveLength(1)
  })

  test.each([
    ['', 'Phone number required to enroll Phone factor'],
    ['12', 'Invalid phone number format (E.164 required)', '0'],
    ['+49 15x', 'Invalid phone number format (E.164 required)'],
  ])('is refused for the number %j', async (phone, message, before = '') => {
    const user = await auth.signedIn()
    const answer = await callAs(auth, user.token, 'POST', '/factors', {
      factor_type: 'phone',
      phone: before + phone,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test('is not written to by a channel that nobody set up', async () => {
    const user = await auth.signedIn()
    const { factorId, phone } = await enrolled(user)
    for (const channel of ['whatsapp', 'pigeon'] as const) {
      const { error } = await user.client.mfa.challenge({ factorId, channel: channel as 'whatsapp' })
      expect(error!.message).toMatch(/^Invalid channel/)
    }
    expect(await auth.mailTo(phone)).toEqual([])
  })

  test('whose message cannot be sent may be tried again at once', async () => {
    const user = await auth.signedIn()
    const { factorId } = await enrolled(user)
    const nobody = {
      kind: 'twilio',
      url: 'http://127.0.0.1:9',
      account: 'A',
      token: 't',
      from: '+1',
    } as const
    await using broken = await createTestAuth({}, auth.database, { sms: nobody })
    const path = `/factors/${factorId}/challenge`
    expect(await callAs(broken, user.token, 'POST', path, {})).toMatchObject({
      status: 422,
      body: { code: 'sms_send_failed' },
    })
    expect((await callAs(auth, user.token, 'POST', path, {})).status).toBe(200)
  })

  test('asks for nothing where messages cannot be sent any more', async () => {
    const user = await auth.signedIn()
    const { factorId } = await enrolled(user)
    await using without = await createTestAuth({}, auth.database)
    expect(await callAs(without, user.token, 'POST', `/factors/${factorId}/challenge`, {})).toMatchObject({
      status: 422,
      body: { code: 'mfa_phone_verify_not_enabled' },
    })
  })

  test('stays when an app is verified, and the app when a phone is', async () => {
    const user = await withTotp(auth)
    const { factorId, phone } = await enrolled(user)
    const challenge = (await user.client.mfa.challenge({ factorId })).data!
    await user.client.mfa.verify({ factorId, challengeId: challenge.id, code: await codeTo(phone) })
    const { claims } = (await user.client.getClaims()).data!
    expect((claims.amr as { method: string }[]).map(entry => entry.method)).toEqual([
      'mfa/phone',
      'totp',
      'password',
    ])
    // One of the two that raised the session goes: the other still holds it.
    await user.client.mfa.unenroll({ factorId: user.factorId })
    await user.client.refreshSession()
    expect((await user.client.getClaims()).data!.claims).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/phone' }, { method: 'password' }],
    })
  })
})
