import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../settings.ts'
import { createTestAuth, type TestAuth } from '../testing/auth-server.ts'
import { callAs, codeOf, signedInAgain, withTotp, type WithTotp } from '../testing/factors.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

async function withCodes(): Promise<WithTotp & { codes: string[]; codesId: string }> {
  const user = await withTotp(auth)
  const { data, error } = await user.client.mfa.recoveryCodes.generate()
  if (error) throw error
  return { ...user, codes: data.codes, codesId: data.id }
}

describe('recovery codes', () => {
  test('are ten, shown once, kept as hashes, and a factor of the user', async () => {
    const user = await withTotp(auth)
    const { data } = await user.client.mfa.recoveryCodes.generate({ friendlyName: 'On paper' })
    expect(data).toMatchObject({ type: 'recovery_code', friendly_name: 'On paper', total: 10 })
    expect(new Set(data!.codes).size).toBe(10)
    for (const code of data!.codes) expect(code).toMatch(/^[a-hjkmnp-z2-9]{16}$/)
    const { rows } = await sql<{ code_hash: string }>`
      select code_hash from auth_recovery_code where factor_id = ${data!.id}`.execute(auth.database.kysely)
    expect(rows).toHaveLength(10)
    for (const { code_hash } of rows) expect(code_hash).toMatch(/^[0-9a-f]{64}$/)
    const factors = (await user.client.mfa.listFactors()).data!
    expect(factors.recovery_code).toMatchObject([{ id: data!.id, friendly_name: 'On paper' }])
    const { data: status } = await user.client.mfa.recoveryCodes.getStatus()
    expect(status).toEqual({ id: data!.id, type: 'recovery_code', total: 10, remaining: 10 })
  })

  test('raise a session once each, as a person types them', async () => {
    const user = await withCodes()
    const typed = user.codes[0]!.toUpperCase().replaceAll(/(.{4})/g, '$1-')
    const weak = await signedInAgain(auth, user)
    const bystander = await signedInAgain(auth, user)
    const { data, error } = await weak.client.mfa.recoveryCodes.verify({ code: ` ${typed} ` })
    expect(error).toBeNull()
    expect(data!.user.factors).toHaveLength(2)
    expect((await weak.client.getClaims()).data!.claims).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
    })
    expect((await bystander.client.getUser()).error!.name).toBe('AuthSessionMissingError')
    const again = await signedInAgain(auth, user)
    expect((await again.client.mfa.recoveryCodes.verify({ code: user.codes[0]! })).error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid recovery code entered',
    })
    expect((await again.client.mfa.recoveryCodes.getStatus()).data).toMatchObject({ total: 10, remaining: 9 })
    expect((await again.client.mfa.recoveryCodes.verify({ code: user.codes[1]! })).error).toBeNull()
  })

  test('used by many at once work for one', async () => {
    const user = await withCodes()
    const { token } = await signedInAgain(auth, user)
    const answers = await Promise.all(
      [0, 1, 2, 3].map(() =>
        callAs(auth, token, 'POST', '/factors/recovery-codes/verify', { code: user.codes[0] }),
      ),
    )
    expect(answers.map(answer => answer.status).toSorted()).toEqual([200, 422, 422, 422])
  })

  test('bring back somebody who lost the phone: a new app, then the old one goes', async () => {
    const user = await withCodes()
    const { client } = await signedInAgain(auth, user)
    await client.mfa.recoveryCodes.verify({ code: user.codes[0]! })
    const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'new' })
    if (data!.type !== 'totp') throw new Error('another type')
    expect(
      (await client.mfa.challengeAndVerify({ factorId: data!.id, code: codeOf(data!.totp.secret) })).error,
    ).toBeNull()
    expect((await client.mfa.unenroll({ factorId: user.factorId })).error).toBeNull()
    expect((await client.mfa.listFactors()).data!.totp).toMatchObject([{ friendly_name: 'new' }])
  })

  test('need another factor, shown in this session, and are one set', async () => {
    const none = await auth.signedIn()
    const insufficient = { status: 403, code: 'insufficient_aal' }
    expect((await none.client.mfa.recoveryCodes.generate()).error).toMatchObject(insufficient)
    expect((await none.client.mfa.recoveryCodes.getStatus()).error).toMatchObject({
      status: 404,
      code: 'mfa_factor_not_found',
    })
    const user = await withCodes()
    expect((await user.client.mfa.recoveryCodes.generate()).error).toMatchObject({
      status: 422,
      code: 'mfa_verified_factor_exists',
    })
    const weak = await signedInAgain(auth, user)
    expect((await weak.client.mfa.recoveryCodes.regenerate()).error).toMatchObject(insufficient)
    expect((await weak.client.mfa.recoveryCodes.unenroll()).error).toMatchObject(insufficient)
    expect((await weak.client.mfa.recoveryCodes.getStatus()).error).toBeNull()
  })

  test('never stay behind alone', async () => {
    const user = await withCodes()
    expect((await user.client.mfa.unenroll({ factorId: user.factorId })).error).toMatchObject({
      status: 422,
      code: 'mfa_recovery_codes_sole_factor',
    })
    expect(await callAs(auth, user.token, 'DELETE', `/factors/${user.codesId}`)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    })
    expect((await user.client.mfa.recoveryCodes.unenroll()).data).toEqual({ id: user.codesId })
    expect((await user.client.mfa.unenroll({ factorId: user.factorId })).error).toBeNull()
  })

  test('that are removed take the sessions they raised down', async () => {
    const user = await withCodes()
    const { client } = await signedInAgain(auth, user)
    await client.mfa.recoveryCodes.verify({ code: user.codes[0]! })
    expect((await client.mfa.recoveryCodes.unenroll()).error).toBeNull()
    await client.refreshSession()
    expect((await client.getClaims()).data!.claims.aal).toBe('aal1')
    await user.client.refreshSession()
    expect((await user.client.getClaims()).data!.claims.aal).toBe('aal2')
  })

  test('cannot be guessed at: each wrong one beyond a few makes the next wait; new codes end the pause', async () => {
    const user = await withCodes()
    const weak = await signedInAgain(auth, user)
    const verify = (code: string) => weak.client.mfa.recoveryCodes.verify({ code })
    for (let n = 0; n < 6; n++) expect((await verify('abcdabcdabcdabcd')).error!.status).toBe(422)
    expect((await verify(user.codes[0]!)).error).toMatchObject({
      status: 429,
      code: 'mfa_recovery_codes_locked',
    })
    const { data } = await user.client.mfa.recoveryCodes.regenerate()
    expect(data).toMatchObject({ id: user.codesId, friendly_name: 'Recovery codes', total: 10 })
    expect((await verify(user.codes[0]!)).error!.code).toBe('mfa_verification_failed')
    expect((await verify(data!.codes[0]!)).error).toBeNull()
  })

  test('are asked for by their own call, with something in it', async () => {
    const user = await withCodes()
    expect(await callAs(auth, user.token, 'POST', '/factors/recovery-codes/verify', {})).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Code needs to be non-empty' },
    })
    const challenge = await callAs(auth, user.token, 'POST', `/factors/${user.codesId}/challenge`, {})
    expect(challenge).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  test('can be switched off', async () => {
    const user = await withCodes()
    const factors = { ...defaultSettings({ loopback: true }).factors, recoveryCodes: false }
    await using off = await createTestAuth({ factors }, auth.database)
    const post = (path: string, body?: object) => callAs(off, user.token, 'POST', path, body)
    const enrolling = { status: 422, body: { code: 'mfa_recovery_codes_enroll_not_enabled' } }
    expect(await post('/factors/recovery-codes')).toMatchObject(enrolling)
    expect(await post('/factors/recovery-codes/regenerate')).toMatchObject(enrolling)
    expect(await post('/factors/recovery-codes/verify', { code: user.codes[0] })).toMatchObject({
      status: 422,
      body: { code: 'mfa_recovery_codes_verify_not_enabled' },
    })
  })
})
