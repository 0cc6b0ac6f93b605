import { sql } from 'kysely'
import { Secret } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { defaultSettings } from '../settings.ts'
import { createTestAuth } from '../testing/auth-server.ts'
import { callAs, codeOf, refused, signedInAgain, useTestFactors, withTotp } from '../testing/factors.ts'

const { auth, enroll } = useTestFactors()

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
    [{ factor_type: 'webauthn', friendly_name: 'a\u0000b' }, 400, 'validation_failed'],
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
