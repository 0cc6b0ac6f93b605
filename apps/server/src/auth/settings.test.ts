import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authVariables } from '../config/auth-variables.ts'
import { ConfigError } from '../config/config-error.ts'
import { noProviders, readConfig } from '../config.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { parseRefreshToken } from './sessions/refresh-token.ts'
import { type AuthSettings, defaultSettings } from './settings.ts'
import { providers as withServiceKey, serviceKey } from './testing/admin.ts'
import { apiVersion, createTestAuth, newEmail, newPhone, type TestAuth } from './testing/auth-server.ts'
import { callAs, withTotp, wrongCode } from './testing/factors.ts'
import { createIdp } from './testing/saml-provider.ts'

const settingsOf = (env: Record<string, string>) => defaultSettings({ ...readConfig(env), loopback: false })
const unset = settingsOf({})

type Read = (settings: AuthSettings) => unknown
const limit = (burst: number, perSecond: number) => ({ burst, perSecond })

/** Each variable with a value that is not the default, and the setting that it makes. */
const table: Readonly<
  Record<keyof typeof authVariables, readonly [value: string, read: Read, made: unknown]>
> = {
  INGOT_SIGN_UP: ['false', of => of.signUp, false],
  INGOT_AUTH_ANONYMOUS: ['true', of => of.anonymous, true],
  INGOT_AUTH_EMAIL_PROVIDER: ['false', of => of.emailProvider, false],
  INGOT_AUTH_AUTOCONFIRM_MAIL: ['true', of => of.autoconfirm, true],
  INGOT_AUTH_AUTOCONFIRM_SMS: ['true', of => of.phoneAutoconfirm, true],
  INGOT_AUTH_MANUAL_LINKING: ['false', of => of.manualLinking, false],
  INGOT_AUTH_REDIRECT_ALLOW_LIST: [
    'https://app.example.com/**, ingot://callback',
    of => of.redirectAllowList,
    ['https://app.example.com/**', 'ingot://callback'],
  ],
  INGOT_AUTH_TEST_OTP: [
    '+4915112345678=123456,4915187654321=00112233',
    of => [...of.testOtps],
    [
      ['4915112345678', '123456'],
      ['4915187654321', '00112233'],
    ],
  ],
  INGOT_AUTH_MIN_PASSWORD_LENGTH: ['12', of => of.minPasswordLength, 12],
  INGOT_REFUSE_COMMON_PASSWORDS: ['false', of => of.refuseCommonPasswords, false],
  INGOT_AUTH_REQUIRE_CURRENT_PASSWORD: ['true', of => of.requireCurrentPassword, true],
  INGOT_AUTH_SECURE_PASSWORD_CHANGE: ['true', of => of.securePasswordChange, true],
  INGOT_AUTH_SECURE_EMAIL_CHANGE: ['false', of => of.secureEmailChange, false],
  INGOT_SESSION_DAYS: ['30', of => of.sessions.timeBoxSeconds, 2_592_000],
  INGOT_SESSION_IDLE_DAYS: ['7', of => of.sessions.inactivitySeconds, 604_800],
  INGOT_STAFF_FACTOR: ['required', of => of.staffFactor, true],
  INGOT_SINGLE_SESSION: ['true', of => of.sessions.singlePerUser, true],
  INGOT_AUTH_ALLOW_LOW_AAL_SECONDS: ['900', of => of.sessions.lowAalSeconds, 900],
  INGOT_AUTH_JWT_EXPIRY_SECONDS: ['400', of => of.accessTokenSeconds, 400],
  INGOT_AUTH_REUSE_INTERVAL_SECONDS: ['0', of => of.refreshReuseSeconds, 0],
  INGOT_AUTH_MAIL_OTP_EXPIRY_SECONDS: ['120', of => of.otpLifeSeconds, 120],
  INGOT_AUTH_SMS_OTP_EXPIRY_SECONDS: ['45', of => of.smsLifeSeconds, 45],
  INGOT_AUTH_NONCE_EXPIRY_SECONDS: ['70', of => of.nonceLifeSeconds, 70],
  INGOT_AUTH_OTP_LENGTH: ['8', of => of.typedDigits, 8],
  INGOT_AUTH_CODE_EXPIRY_SECONDS: ['35', of => of.codeLifeSeconds, 35],
  INGOT_AUTH_FLOW_EXPIRY_SECONDS: ['65', of => of.flowLifeSeconds, 65],
  INGOT_AUTH_RELAY_STATE_EXPIRY_SECONDS: ['55', of => of.relayStateLifeSeconds, 55],
  INGOT_AUTH_MFA_CHALLENGE_EXPIRY_SECONDS: ['50', of => of.factors.lifeSeconds, 50],
  INGOT_AUTH_MAIL_SPACING_SECONDS: ['0', of => of.mailSpacingSeconds, 0],
  INGOT_AUTH_SMS_SPACING_SECONDS: ['0', of => of.smsSpacingSeconds, 0],
  INGOT_AUTH_RATE_LIMIT_MAILS: ['36', of => of.mails, limit(36, 0.01)],
  INGOT_AUTH_RATE_LIMIT_SMS: ['off', of => of.sms, null],
  INGOT_AUTH_RATE_LIMIT_BURST: ['3', of => of.buckets.signup, limit(3, 0.1)],
  INGOT_AUTH_RATE_LIMIT_OTP: [
    '60',
    ({ buckets: { signup, otp, recover, resend, user } }) => [signup, otp, recover, resend, user],
    Array.from({ length: 5 }, () => limit(30, 0.2)),
  ],
  INGOT_AUTH_RATE_LIMIT_ANONYMOUS: ['12', of => of.buckets.anonymous, limit(12, 12 / 3600)],
  INGOT_AUTH_RATE_LIMIT_VERIFY: ['60', of => of.buckets.verify, limit(30, 0.2)],
  INGOT_AUTH_RATE_LIMIT_TOKEN: ['off', of => of.buckets.token, null],
  INGOT_AUTH_RATE_LIMIT_AUTHORIZE: ['60', of => of.buckets.authorize, limit(30, 0.2)],
  INGOT_AUTH_RATE_LIMIT_SSO: ['60', of => of.buckets.sso, limit(30, 0.2)],
  INGOT_AUTH_RATE_LIMIT_SAML_ACS: ['60', of => of.buckets.saml_acs, limit(30, 0.2)],
  INGOT_AUTH_RATE_LIMIT_MFA: [
    '60',
    of => [of.buckets.mfa_challenge, of.buckets.mfa_verify],
    [limit(30, 0.2), limit(30, 0.2)],
  ],
  INGOT_AUTH_LOCKOUT_PASSWORD_TRIES: ['2', of => of.wrongPasswords.free, 2],
  INGOT_AUTH_LOCKOUT_PASSWORD_SECONDS: ['9', of => of.wrongPasswords.maxPauseSeconds, 9],
  INGOT_AUTH_LOCKOUT_CODE_TRIES: ['2', of => of.wrongCodes.free, 2],
  INGOT_AUTH_LOCKOUT_CODE_SECONDS: ['9', of => of.wrongCodes.maxPauseSeconds, 9],
  INGOT_AUTH_LOCKOUT_MFA_TRIES: ['1', of => of.factors.wrongCodes.free, 1],
  INGOT_AUTH_LOCKOUT_MFA_SECONDS: ['9', of => of.factors.wrongCodes.maxPauseSeconds, 9],
}

describe('an operator’s variable makes a setting', () => {
  test.each(Object.entries(table))('%s', (name, [value, read, made]) => {
    expect(read(unset)).not.toEqual(made)
    expect(read(settingsOf({ [name]: value }))).toEqual(made)
  })

  test.each([
    ['INGOT_AUTH_MIN_PASSWORD_LENGTH', '5', 'is "5". Set it to a whole number from 6 to 72'],
    ['INGOT_AUTH_JWT_EXPIRY_SECONDS', '1h', 'is "1h". Set it to a whole number from 300 to 86400'],
    ['INGOT_AUTH_AUTOCONFIRM_MAIL', 'yes', 'is "yes". Use one of true, false'],
    ['INGOT_AUTH_RATE_LIMIT_OTP', '0', 'is "0". Set it to a whole number from 1 to 1000000, or to off'],
    ['INGOT_AUTH_REDIRECT_ALLOW_LIST', 'app.example.com', 'Write addresses with commas'],
    // Wildcards that reach over the host would let any site in.
    ['INGOT_AUTH_REDIRECT_ALLOW_LIST', '**', 'Write addresses with commas'],
    ['INGOT_AUTH_REDIRECT_ALLOW_LIST', 'https://*', 'Write addresses with commas'],
    ['INGOT_AUTH_REDIRECT_ALLOW_LIST', 'https://**.example.com/**', 'Write addresses with commas'],
    ['INGOT_AUTH_REDIRECT_ALLOW_LIST', 'https://app.example.com**', 'Write addresses with commas'],
    ['INGOT_AUTH_TEST_OTP', '4915112345678=12345', 'Write numbers with codes of 6 to 10 digits'],
  ])('or refuses the start: %s=%s', (name, value, says) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(`${name} `)
    expect(read).toThrow(says)
  })
})

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** A service as the environment says, with phones, GitHub and SAML. */
const service = (env: Record<string, string>, loopback = true) =>
  createTestAuth({ providers: { ...withServiceKey, ...signIn, samlKey: 'generate' } }, database, {
    auth: readConfig(env).auth,
    sms: { kind: 'inbox' },
    loopback,
  })
const signIn = {
  ...noProviders,
  ...withServiceKey,
  github: {
    clientId: 'id',
    clientSecret: 'secret',
    url: 'https://github.com',
    apiUrl: 'https://api.github.com',
  },
}

/** Seconds that the newest row of a table still counts. */
async function left(tableName: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from expires_at - now()))::integer as seconds
    from ${sql.table(tableName)} order by ctid desc, expires_at desc limit 1`.execute(database.kysely)
  return rows[0]!.seconds
}
const about = (seconds: number) => ({
  asymmetricMatch: (given: number) => given <= seconds && given > seconds - 10,
})
const post = (auth: TestAuth, path: string, body: object, token?: string) =>
  auth.call('POST', path, { headers: apiVersion, body, ...(token ? { token } : {}) })

describe('lifetimes', () => {
  test('of links, typed codes and tokens', async () => {
    await using auth = await service({
      INGOT_AUTH_MAIL_OTP_EXPIRY_SECONDS: '120',
      INGOT_AUTH_SMS_OTP_EXPIRY_SECONDS: '45',
      INGOT_AUTH_NONCE_EXPIRY_SECONDS: '70',
      INGOT_AUTH_OTP_LENGTH: '8',
      INGOT_AUTH_JWT_EXPIRY_SECONDS: '400',
    })
    const phone = newPhone()
    await post(auth, '/signup', { email: newEmail(), password: 'correct horse' })
    expect(await left('auth_otp')).toEqual(about(120))
    await post(auth, '/otp', { phone })
    expect(await left('auth_otp')).toEqual(about(45))
    expect((await auth.mailTo(phone))[0]!.text).toMatch(/^\d{8} is your Ingot code .* for 45 seconds/)
    const { client, email, password } = await auth.signedIn()
    await client.reauthenticate()
    expect(await left('auth_otp')).toEqual(about(70))
    expect((await auth.mailTo(email))[0]!.subject).toMatch(/^\d{8} is/)
    const { body } = await post(auth, '/token?grant_type=password', { email, password })
    expect(body['expires_in']).toBe(400)
  })

  test('of what a browser, a provider and a second factor are waited for', async () => {
    await using auth = await service({
      INGOT_AUTH_CODE_EXPIRY_SECONDS: '35',
      INGOT_AUTH_FLOW_EXPIRY_SECONDS: '65',
      INGOT_AUTH_RELAY_STATE_EXPIRY_SECONDS: '55',
      INGOT_AUTH_MFA_CHALLENGE_EXPIRY_SECONDS: '50',
    })
    const email = newEmail()
    await auth.client({ flowType: 'pkce' }).signUp({ email, password: 'correct horse' })
    await auth.follow((await auth.linksTo(email))[0]!)
    expect(await left('auth_code')).toEqual(about(35))
    await auth.call('GET', '/authorize?provider=github')
    expect(await left('auth_flow')).toEqual(about(65))
    await post(
      auth,
      '/admin/sso/providers',
      { type: 'saml', metadata_xml: createIdp().metadata, domains: ['acme.example'] },
      serviceKey,
    )
    await post(auth, '/sso', { domain: 'acme.example', skip_http_redirect: true })
    expect(await left('auth_relay_state')).toEqual(about(55))
    const { token, factorId } = await withTotp(auth)
    const { body } = await post(auth, `/factors/${factorId}/challenge`, {}, token)
    expect(Number(body['expires_at']) - Date.now() / 1000).toEqual(about(50))
  })

  test.each([
    ['10', 200],
    ['0', 400],
  ])('of an older refresh token: with %s seconds it is answered %i', async (seconds, status) => {
    await using auth = await service({ INGOT_AUTH_REUSE_INTERVAL_SECONDS: seconds })
    const { client, refreshToken } = await auth.signedIn()
    await client.refreshSession()
    await client.refreshSession()
    expect(parseRefreshToken(refreshToken)).not.toBeNull()
    const answer = await post(auth, '/token?grant_type=refresh_token', { refresh_token: refreshToken })
    expect(answer.status).toBe(status)
  })
})

describe('messages', () => {
  test('follow each other at once where no pause is set, up to what an hour allows', async () => {
    await using auth = await service(
      {
        INGOT_AUTH_MAIL_SPACING_SECONDS: '0',
        INGOT_AUTH_SMS_SPACING_SECONDS: '0',
        INGOT_AUTH_RATE_LIMIT_MAILS: '4',
        INGOT_AUTH_RATE_LIMIT_SMS: '2',
      },
      false,
    )
    const { email } = await auth.signedIn()
    for (const status of [200, 200, 200, 429])
      expect((await post(auth, '/recover', { email })).status).toBe(status)
    const phone = newPhone()
    for (const status of [200, 200, 429]) expect((await post(auth, '/otp', { phone })).status).toBe(status)
  })

  test('are not sent to test numbers, whose code is the operator’s; no other code fits, and no other number', async () => {
    const phone = newPhone()
    await using auth = await service({ INGOT_AUTH_TEST_OTP: `${phone}=24681357` })
    expect((await post(auth, '/otp', { phone })).status).toBe(200)
    expect(await auth.mailTo(phone)).toEqual([])
    const verify = (to: string, token: string) => post(auth, '/verify', { phone: to, token, type: 'sms' })
    expect((await verify(phone, '24681358')).status).toBe(403)
    expect((await verify(phone, '24681357')).status).toBe(200)
    const other = newPhone()
    await post(auth, '/otp', { phone: other })
    expect((await verify(other, '24681357')).status).toBe(403)
  })
})

describe('passwords', () => {
  test('have the length that is set, and screens can know it before', async () => {
    await using auth = await service({
      INGOT_AUTH_MIN_PASSWORD_LENGTH: '12',
      INGOT_AUTH_MAIL_SPACING_SECONDS: '90',
      INGOT_AUTH_SMS_SPACING_SECONDS: '120',
    })
    expect(await post(auth, '/signup', { email: newEmail(), password: 'elevenchars' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password', message: 'Password should be at least 12 characters.' },
    })
    expect((await auth.call('GET', '/settings')).body).toMatchObject({
      password_min_length: 12,
      mail_spacing_seconds: 90,
    })
  })

  test('that are wrong lock after as many tries as are set, and wrong codes of a second factor do', async () => {
    await using auth = await service({
      INGOT_AUTH_LOCKOUT_PASSWORD_TRIES: '1',
      INGOT_AUTH_LOCKOUT_MFA_TRIES: '1',
    })
    const { email, token, factorId, secret } = await withTotp(auth)
    const locked = async () =>
      (
        await sql<{ passwords: number; factor: boolean }>`
          select (select count(*)::integer from auth_failure where locked_until is not null) as passwords,
            locked_until is not null as factor from auth_factor where id = ${factorId}`.execute(
          database.kysely,
        )
      ).rows[0]
    const { passwords } = (await locked())!
    const tryPassword = () => post(auth, '/token?grant_type=password', { email, password: 'wrong horse' })
    const { body } = await callAs(auth, token, 'POST', `/factors/${factorId}/challenge`, {})
    const tryCode = () =>
      callAs(auth, token, 'POST', `/factors/${factorId}/verify`, {
        challenge_id: body['id'],
        code: wrongCode(secret),
      })
    await tryPassword()
    await tryCode()
    expect(await locked()).toEqual({ passwords, factor: false })
    await tryPassword()
    await tryCode()
    expect(await locked()).toEqual({ passwords: passwords + 1, factor: true })
  })
})
