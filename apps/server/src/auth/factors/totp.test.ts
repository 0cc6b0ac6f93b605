import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { defaultSettings } from '../settings.ts'
import { createTestAuth, newEmail, type TestAuth } from '../test-auth.ts'
import { callAs, codeOf, signedInAgain, withTotp, wrongCode } from './test-factors.ts'
import { stepOf } from './totp.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const enroll = (token: string, body: object = {}) =>
  callAs(auth, token, 'POST', '/factors', { factor_type: 'totp', ...body })
const challenge = async (token: string, factorId: string, ip?: string) => {
  const headers = ip ? { 'x-forwarded-for': ip } : undefined
  return (await callAs(auth, token, 'POST', `/factors/${factorId}/challenge`, { factorId }, headers)).body[
    'id'
  ]
}
const verify = (token: string, factorId: string, challenge_id: unknown, code: string, ip?: string) =>
  callAs(
    auth,
    token,
    'POST',
    `/factors/${factorId}/verify`,
    { challenge_id, code },
    ip ? { 'x-forwarded-for': ip } : undefined,
  )
const remove = (token: string, factorId: string) => callAs(auth, token, 'DELETE', `/factors/${factorId}`)
const refused = (status: number, code: string, message?: string) => ({
  status,
  body: { code, ...(message ? { message } : {}) },
})
const v1 = async (token: string) => {
  const answer = await fetch(`${auth.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: (await answer.json()) as { error?: { code: string } } }
}

describe('enrolling an authenticator app', () => {
  test('gives its secret, an address and a picture of that, and shows the factor as unverified', async () => {
    const { client, email } = await auth.signedIn()
    const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Pixel' })
    expect(error).toBeNull()
    if (data!.type !== 'totp') throw new Error('another type')
    const { id, friendly_name, totp } = data!
    expect(friendly_name).toBe('Pixel')
    expect(totp.secret).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(totp.uri)
    expect(uri.protocol + uri.host).toBe('otpauth:totp')
    expect(decodeURIComponent(uri.pathname)).toBe(`/localhost:8080:${email}`)
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'localhost:8080',
      secret: totp.secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#%]+<\/svg>$/)

    const { data: factors } = await client.mfa.listFactors()
    expect(factors!.totp).toEqual([])
    expect(factors!.all).toEqual([
      {
        id,
        friendly_name: 'Pixel',
        factor_type: 'totp',
        status: 'unverified',
        phone: '',
        created_at: expect.stringMatching(/Z$/) as string,
        updated_at: expect.stringMatching(/Z$/) as string,
        last_challenged_at: null,
      },
    ])
  })

  test('names the issuer that was asked for, and leaves an empty name out', async () => {
    const { token } = await auth.signedIn()
    const { body } = await enroll(token, { issuer: 'Ingot Cloud' })
    const totp = body['totp'] as { uri: string; qr_code: string }
    expect(new URL(totp.uri).searchParams.get('issuer')).toBe('Ingot Cloud')
    expect(totp.qr_code).toMatch(/^<svg /)
    const { body: user } = await callAs(auth, token, 'GET', '/user')
    expect((user['factors'] as object[])[0]).not.toHaveProperty('friendly_name')
  })

  test('keeps the secret sealed', async () => {
    const { secret, factorId } = await withTotp(auth)
    const { rows } = await sql<{ secret_sealed: Buffer }>`
      select secret_sealed from auth_factor where id = ${factorId}`.execute(auth.database.kysely)
    const bytes = Buffer.from(Secret.fromBase32(secret).bytes)
    expect(rows[0]!.secret_sealed.includes(bytes)).toBe(false)
    expect(auth.vault.open(rows[0]!.secret_sealed, `factor:${factorId}`)).toEqual(bytes)
  })

  test.each([
    [{ factor_type: 'webauthn' }, 422, 'mfa_webauthn_enroll_not_enabled'],
    [{ factor_type: 'phone', phone: '+4915112345678' }, 422, 'mfa_phone_enroll_not_enabled'],
    [{ factor_type: 'recovery_code' }, 400, 'validation_failed'],
    [{ factor_type: '' }, 400, 'validation_failed'],
    [{ friendly_name: 'a\u0000b' }, 400, 'validation_failed'],
    [{ friendly_name: 'x'.repeat(121) }, 400, 'validation_failed'],
    [{ issuer: 7 }, 400, 'bad_json'],
  ])('refuses %j', async (body, status, code) => {
    const { token } = await auth.signedIn()
    expect(await enroll(token, body)).toMatchObject(refused(status, code))
  })

  test('can be switched off, and so can its use', async () => {
    const { token, factorId, secret } = await withTotp(auth)
    const factors = { ...defaultSettings({ loopback: true }).factors, totp: false }
    await using off = await createTestAuth({ factors }, auth.database)
    expect(await callAs(off, token, 'POST', '/factors', { factor_type: 'totp' })).toMatchObject(
      refused(422, 'mfa_totp_enroll_not_enabled'),
    )
    const disabled = refused(422, 'mfa_totp_verify_not_enabled')
    expect(await callAs(off, token, 'POST', `/factors/${factorId}/challenge`, {})).toMatchObject(disabled)
    const body = { challenge_id: newId(), code: codeOf(secret) }
    expect(await callAs(off, token, 'POST', `/factors/${factorId}/verify`, body)).toMatchObject(disabled)
  })

  test('under a name twice is a conflict, the empty name included', async () => {
    const { token } = await auth.signedIn()
    expect((await enroll(token)).status).toBe(200)
    expect(await enroll(token)).toMatchObject(
      refused(
        422,
        'mfa_factor_name_conflict',
        'A factor with the friendly name "" for this user already exists',
      ),
    )
    expect((await enroll(token, { friendly_name: 'b' })).status).toBe(200)
    expect((await enroll(token, { friendly_name: 'b' })).status).toBe(422)
  })

  test('stops at ten; those never finished make room after five minutes', async () => {
    const { token, id } = await auth.signedIn()
    for (let n = 0; n < 10; n++) expect((await enroll(token, { friendly_name: `${n}` })).status).toBe(200)
    expect(await enroll(token, { friendly_name: 'x' })).toMatchObject(
      refused(422, 'too_many_enrolled_mfa_factors'),
    )
    await sql`update auth_factor set created_at = created_at - interval '301 seconds' where user_id = ${id}`.execute(
      auth.database.kysely,
    )
    expect((await enroll(token, { friendly_name: '0' })).status).toBe(200)
    const { body } = await callAs(auth, token, 'GET', '/user')
    expect(body['factors']).toHaveLength(1)
  })

  test('once more takes the factor that is there', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    expect(await enroll(token, { friendly_name: 'mine' })).toMatchObject(
      refused(403, 'insufficient_aal', 'AAL2 required to enroll a new factor'),
    )
    expect((await enroll(user.token, { friendly_name: 'second' })).status).toBe(200)
  })
})

describe('a right code', () => {
  test('raises the session: same id, new tokens, aal2, the method first; clients are told', async () => {
    const { client, refreshToken } = await auth.signedIn()
    const events: string[] = []
    client.onAuthStateChange(event => void events.push(event))
    const before = (await client.getClaims()).data!.claims
    const { data: factor } = await client.mfa.enroll({ factorType: 'totp' })
    if (factor!.type !== 'totp') throw new Error('another type')
    const { data: asked } = await client.mfa.challenge({ factorId: factor!.id })
    expect(asked).toEqual({
      id: expect.any(String) as string,
      type: 'totp',
      expires_at: expect.any(Number) as number,
    })
    expect(Math.abs(asked!.expires_at - 300 - Date.now() / 1000)).toBeLessThan(5)
    const { data, error } = await client.mfa.verify({
      factorId: factor!.id,
      challengeId: asked!.id,
      code: codeOf(factor!.totp.secret),
    })
    expect(error).toBeNull()
    expect(data!.refresh_token).not.toBe(refreshToken)
    expect(data!.user.factors![0]).toMatchObject({
      status: 'verified',
      last_challenged_at: expect.any(String) as string,
    })
    const after = (await client.getClaims()).data!.claims
    expect(after.session_id).toBe(before.session_id)
    expect(after.aal).toBe('aal2')
    expect(after.amr).toEqual([
      { method: 'totp', timestamp: expect.any(Number) as number },
      (before.amr as object[])[0],
    ])
    expect(events).toContain('MFA_CHALLENGE_VERIFIED')
    const { data: level } = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect((await client.getUser()).error).toBeNull()
  })

  test('ends the user’s sessions without it and no other; drops unfinished apps', async () => {
    const user = await withTotp(auth)
    const stranger = await auth.signedIn()
    const weak = await signedInAgain(auth, user)
    const second = await signedInAgain(auth, user)
    await enroll(user.token, { friendly_name: 'unfinished' })
    const { error } = await second.client.mfa.challengeAndVerify({
      factorId: user.factorId,
      code: codeOf(user.secret, 1),
    })
    expect(error).toBeNull()
    const status = async (token: string) => (await callAs(auth, token, 'GET', '/user')).status
    expect(await status(weak.token)).toBe(403)
    expect(await status(user.token)).toBe(200)
    expect(await status(stranger.token)).toBe(200)
    const factors = (await second.client.mfa.listFactors()).data!.all
    expect(factors.map(factor => factor.friendly_name)).toEqual(['app'])
  })

  test('keeps the level and the methods when the session is refreshed', async () => {
    const { client } = await withTotp(auth)
    const before = (await client.getClaims()).data!.claims
    expect((await client.refreshSession()).error).toBeNull()
    const after = (await client.getClaims()).data!.claims
    expect(after).toMatchObject({ aal: 'aal2', amr: before.amr, session_id: before.session_id })
  })

  test('may have spaces, works once, and no older one works after it', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const again = async (code: string) =>
      verify(token, user.factorId, await challenge(token, user.factorId), code)
    const invalid = refused(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
    expect(await again(codeOf(user.secret))).toMatchObject(invalid)
    const next = codeOf(user.secret, 1)
    expect((await again(`${next.slice(0, 3)} ${next.slice(3)}`)).status).toBe(200)
    expect(await again(next)).toMatchObject(invalid)
    expect(await again(codeOf(user.secret))).toMatchObject(invalid)
  })

  test('is told to the owner by mail, the first time', async () => {
    const user = await withTotp(auth)
    const added = async () =>
      (await auth.mailTo(user.email)).filter(mail => mail.subject.startsWith('A second factor was added'))
    expect(await added()).toHaveLength(1)
    expect((await added())[0]!.text).toContain('an authenticator app ("app")')
    const again = await signedInAgain(auth, user)
    await again.client.mfa.challengeAndVerify({ factorId: user.factorId, code: codeOf(user.secret, 1) })
    expect(await added()).toHaveLength(1)
    expect(auth.wakeUps).toContain('mail')
  })

  test('is one of this step, the one before and the one after', () => {
    const secret = Buffer.from('12345678901234567890')
    const at = 1_700_000_010_000
    const code = (timestamp: number) =>
      TOTP.generate({ secret: new Secret({ buffer: Uint8Array.from(secret).buffer }), timestamp })
    const step = BigInt(Math.floor(at / 30_000))
    expect(stepOf(secret, code(at), at)).toBe(step)
    expect(stepOf(secret, code(at - 30_000), at)).toBe(step - 1n)
    expect(stepOf(secret, code(at + 30_000), at)).toBe(step + 1n)
    expect(stepOf(secret, code(at - 60_000), at)).toBeNull()
    expect(stepOf(secret, code(at + 60_000), at)).toBeNull()
    for (const none of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
      expect(stepOf(secret, none, at)).toBeNull()
  })
})

describe('a challenge', () => {
  test('works once, even with a code that was not used', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId)
    expect((await verify(token, user.factorId, id, codeOf(user.secret, 1))).status).toBe(200)
    const reused = await verify(token, user.factorId, id, codeOf(user.secret, 1))
    expect(reused).toMatchObject(
      refused(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'),
    )
  })

  test('is answered once although many answers arrive at once', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const ids = await Promise.all([0, 1, 2, 3].map(() => challenge(token, user.factorId)))
    const code = codeOf(user.secret, 1)
    const answers = await Promise.all(ids.map(id => verify(token, user.factorId, id, code)))
    expect(answers.map(answer => answer.status).toSorted()).toEqual([200, 422, 422, 422])
  })

  test('must be answered from the address that asked', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId, '198.51.100.1')
    const code = codeOf(user.secret, 1)
    const elsewhere = await verify(token, user.factorId, id, code, '198.51.100.2')
    expect(elsewhere).toMatchObject(refused(422, 'mfa_ip_address_mismatch'))
    expect((await verify(token, user.factorId, id, code, '198.51.100.1')).status).toBe(200)
  })

  test('expires', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const id = await challenge(token, user.factorId)
    await sql`update auth_factor_challenge set expires_at = now() where id = ${id}::uuid`.execute(
      auth.database.kysely,
    )
    const late = await verify(token, user.factorId, id, codeOf(user.secret, 1))
    expect(late).toMatchObject(refused(422, 'mfa_challenge_expired'))
  })

  test('of another factor, of none and of no form is unknown', async () => {
    const user = await withTotp(auth)
    const { body } = await enroll(user.token, { friendly_name: 'second' })
    const other = await challenge(user.token, body['id'] as string)
    for (const id of [other, newId(), 'nonsense', undefined]) {
      const answer = await verify(user.token, user.factorId, id, codeOf(user.secret, 1))
      expect(answer).toMatchObject(
        refused(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'),
      )
    }
  })

  test('needs a factor of one’s own, and a code', async () => {
    const [mine, theirs] = [await withTotp(auth), await withTotp(auth)]
    const unknown = refused(404, 'mfa_factor_not_found', 'Factor not found')
    for (const id of [theirs.factorId, newId()]) {
      const path = `/factors/${id}`
      expect(await callAs(auth, mine.token, 'POST', `${path}/challenge`, {})).toMatchObject(unknown)
      expect(await verify(mine.token, id, newId(), '123456')).toMatchObject(unknown)
      expect(await remove(mine.token, id)).toMatchObject(unknown)
    }
    expect(await verify(mine.token, 'x', newId(), '1')).toMatchObject(
      refused(404, 'validation_failed', 'factor_id must be an UUID'),
    )
    expect(await verify(mine.token, mine.factorId, newId(), '')).toMatchObject(
      refused(400, 'validation_failed', 'Code needs to be non-empty'),
    )
  })
})

describe('wrong codes', () => {
  test('make the next try wait, longer each time, whatever the challenge; the right one waits too', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const guess = async (code: string) =>
      verify(token, user.factorId, await challenge(token, user.factorId), code)
    for (let n = 0; n < 6; n++)
      expect(await guess(wrongCode(user.secret))).toMatchObject(refused(422, 'mfa_verification_failed'))
    const locked = await guess(codeOf(user.secret, 1))
    expect(locked).toMatchObject(refused(429, 'over_request_rate_limit'))
    expect(locked.body['message']).toBe('Too many wrong codes. Try again in 1 seconds.')
    const db = auth.database.kysely
    const forgetPause = () =>
      sql`update auth_factor set locked_until = now() where id = ${user.factorId}`.execute(db)
    for (const seconds of [2, 4, 8]) {
      await forgetPause()
      expect((await guess(wrongCode(user.secret))).status).toBe(422)
      expect((await guess(wrongCode(user.secret))).body['message']).toBe(
        `Too many wrong codes. Try again in ${seconds} seconds.`,
      )
    }
    await sql`update auth_factor set failures = 60 where id = ${user.factorId}`.execute(db)
    await forgetPause()
    await guess(wrongCode(user.secret))
    expect((await guess('1')).body['message']).toMatch(/Try again in (900|899) seconds/)
    await forgetPause()
    expect((await guess(codeOf(user.secret, 1))).status).toBe(200)
    const { rows } = await sql`select failures from auth_factor where id = ${user.factorId}`.execute(db)
    expect(rows).toEqual([{ failures: 0 }])
  })

  test('sent at once gain nothing', async () => {
    const user = await withTotp(auth)
    const { token } = await signedInAgain(auth, user)
    const ids = await Promise.all(Array.from({ length: 20 }, () => challenge(token, user.factorId)))
    const answers = await Promise.all(ids.map(id => verify(token, user.factorId, id, wrongCode(user.secret))))
    expect(answers.filter(answer => answer.status === 422)).toHaveLength(6)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(14)
  })

  test('and challenges have a bucket per address each', async () => {
    const { buckets } = defaultSettings({ loopback: false })
    expect(buckets.mfa_challenge).toEqual({ burst: 30, perSecond: 0.25 })
    expect(buckets.mfa_verify).toEqual({ burst: 30, perSecond: 0.25 })
    const tight = { burst: 2, perSecond: 0.001 }
    const none = { ...buckets, signup: null, token: null, verify: null }
    await using strict = await createTestAuth(
      { buckets: { ...none, mfa_challenge: tight, mfa_verify: tight } },
      auth.database,
    )
    const { token, factorId } = await withTotp(strict)
    const both = async (ip: string) => {
      const headers = { 'x-forwarded-for': ip }
      const path = `/factors/${factorId}`
      const first = await callAs(strict, token, 'POST', `${path}/challenge`, {}, headers)
      const body = { challenge_id: newId(), code: '1' }
      return [first.status, (await callAs(strict, token, 'POST', `${path}/verify`, body, headers)).status]
    }
    const ip = '203.0.113.9'
    expect([await both(ip), await both(ip), await both(ip)]).toEqual([
      [200, 422],
      [200, 422],
      [429, 429],
    ])
    expect(await both('203.0.113.10')).toEqual([200, 422])
  })
})

describe('removing a factor', () => {
  test('that is verified takes aal2; the sessions it raised fall back, here and elsewhere', async () => {
    const user = await withTotp(auth)
    const other = await signedInAgain(auth, user)
    expect(await remove(other.token, user.factorId)).toMatchObject(
      refused(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor'),
    )
    await other.client.mfa.challengeAndVerify({ factorId: user.factorId, code: codeOf(user.secret, 1) })
    const { data, error } = await user.client.mfa.unenroll({ factorId: user.factorId })
    expect(error).toBeNull()
    expect(data).toEqual({ id: user.factorId })
    for (const { client } of [user, other]) {
      expect((await client.refreshSession()).error).toBeNull()
      const { claims } = (await client.getClaims()).data!
      expect(claims.aal).toBe('aal1')
      expect(claims.amr).toMatchObject([{ method: 'password' }])
    }
    const mails = await auth.mailTo(user.email)
    expect(mails[0]!.subject).toBe('A second factor was removed from your Ingot account')
  })

  test('leaves sessions that another factor raised', async () => {
    const user = await withTotp(auth)
    const { data } = await user.client.mfa.enroll({ factorType: 'totp', friendlyName: 'second' })
    if (data!.type !== 'totp') throw new Error('another type')
    await user.client.mfa.challengeAndVerify({ factorId: data!.id, code: codeOf(data!.totp.secret) })
    expect((await user.client.mfa.unenroll({ factorId: user.factorId })).error).toBeNull()
    await user.client.refreshSession()
    const { claims } = (await user.client.getClaims()).data!
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp' }, { method: 'password' }] })
  })

  test('that was never verified takes nothing', async () => {
    const { client } = await auth.signedIn()
    const { data } = await client.mfa.enroll({ factorType: 'totp' })
    expect((await client.mfa.unenroll({ factorId: data!.id })).error).toBeNull()
    expect((await client.mfa.listFactors()).data!.all).toEqual([])
  })
})

describe('a session without the second factor', () => {
  test('changes neither password nor address, but may say things about the user', async () => {
    const user = await withTotp(auth)
    const weak = await signedInAgain(auth, user)
    for (const change of [{ password: 'battery staple' }, { email: newEmail() }])
      expect((await weak.client.updateUser(change)).error).toMatchObject({
        status: 401,
        code: 'insufficient_aal',
      })
    expect((await weak.client.updateUser({ data: { theme: 'dark' } })).error).toBeNull()
    expect((await user.client.updateUser({ password: 'battery staple' })).error).toBeNull()
  })

  test('may not call /v1, which asks for the code; an unfinished factor asks for nothing', async () => {
    const user = await withTotp(auth)
    const weak = await signedInAgain(auth, user)
    expect(await v1(weak.token)).toMatchObject({
      status: 403,
      body: { error: { code: 'mfa_required', message: 'Enter the code of your second factor to go on' } },
    })
    expect((await v1(user.token)).status).toBe(200)
    await weak.client.mfa.challengeAndVerify({ factorId: user.factorId, code: codeOf(user.secret, 1) })
    expect((await v1((await weak.client.getSession()).data.session!.access_token)).status).toBe(200)
    const unfinished = await auth.signedIn()
    await unfinished.client.mfa.enroll({ factorType: 'totp' })
    expect((await v1(unfinished.token)).status).toBe(200)
  })

  test('cannot become one with it by a refresh token from before', async () => {
    const refresh = (refresh_token: string) =>
      callAs(auth, '', 'POST', '/token?grant_type=refresh_token', { refresh_token })
    const user = await auth.signedIn()
    const { data } = await user.client.mfa.enroll({ factorType: 'totp' })
    if (data!.type !== 'totp') throw new Error('another type')
    await user.client.mfa.challengeAndVerify({ factorId: data!.id, code: codeOf(data!.totp.secret) })
    const used = refused(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
    // At once: another tab. The session lives on.
    expect(await refresh(user.refreshToken)).toMatchObject(used)
    expect((await user.client.refreshSession()).error).toBeNull()
    // Later: somebody else. The session ends.
    await sql`update auth_session set refreshed_at = now() - interval '11 seconds' where user_id = ${user.id}`.execute(
      auth.database.kysely,
    )
    expect(await refresh(user.refreshToken)).toMatchObject(used)
    expect((await user.client.refreshSession()).error!.code).toBe('refresh_token_not_found')
  })
})
