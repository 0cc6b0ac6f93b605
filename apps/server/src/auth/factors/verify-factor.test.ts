import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { defaultSettings } from '../settings.ts'
import { createTestAuth } from '../testing/auth-server.ts'
import {
  callAs,
  codeOf,
  refused,
  signedInAgain,
  useTestFactors,
  withTotp,
  wrongCode,
} from '../testing/factors.ts'
import { stepOf } from './totp.ts'

const { auth, enroll, challenge, verify } = useTestFactors()

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
