import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { hashPassword } from './passwords.ts'
import { apiVersion, createTestAuth, newEmail, newPhone, type TestAuth } from '../testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({}, undefined, { sms: { kind: 'inbox' } })
})
afterAll(() => auth[Symbol.asyncDispose]())

const message = 'Password is known to be weak and easy to guess, please choose a different one.'

test.each(['password', 'PASSWORD', 'Qwerty123', '123456', 'letmein', 'iloveyou', 'trustno1'])(
  'what everybody tries first opens no account: %s',
  async password => {
    const { error } = await auth.client().signUp({ email: newEmail(), password })
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      reasons: ['pwned'],
      message,
    })
    const byPhone = await auth.client().signUp({ phone: newPhone(), password })
    expect(byPhone.error).toMatchObject({ code: 'weak_password', reasons: ['pwned'] })
  },
)

test.each([
  'correct horse',
  'ingot-demo',
  'correct horse battery',
  'password is long',
  '# Copyright',
  ' qwerty',
])('what nobody tries first does: %s', async password => {
  expect((await auth.client().signUp({ email: newEmail(), password })).error).toBeNull()
})

test('it is no new password either', async () => {
  const { token } = await auth.signedIn()
  const body = { password: 'sunshine' }
  expect(await auth.call('PUT', '/user', { token, headers: apiVersion, body })).toMatchObject({
    status: 422,
    body: { code: 'weak_password', message, weak_password: { reasons: ['pwned'] } },
  })
})

test('one that is in use already signs in, with a word about it', async () => {
  const { email, id } = await auth.signedIn()
  await sql`update auth_user set password_hash = ${await hashPassword('sunshine')} where id = ${id}`.execute(
    auth.database.kysely,
  )
  const { data, error } = await auth.client().signInWithPassword({ email, password: 'sunshine' })
  expect(error).toBeNull()
  expect(data.weakPassword).toEqual({ reasons: ['pwned'], message })
})

test('too short is told before too common', async () => {
  await using long = await createTestAuth({ minPasswordLength: 10 }, auth.database)
  const { error } = await long.client().signUp({ email: newEmail(), password: 'sunshine' })
  expect(error).toMatchObject({ reasons: ['length'] })
})

test('an operator may allow them', async () => {
  expect(readConfig({}).auth.INGOT_REFUSE_COMMON_PASSWORDS).toBe(true)
  const { auth: configured } = readConfig({ INGOT_REFUSE_COMMON_PASSWORDS: 'false' })
  expect(() => readConfig({ INGOT_REFUSE_COMMON_PASSWORDS: 'no' })).toThrow(/INGOT_REFUSE_COMMON_PASSWORDS/)
  await using lax = await createTestAuth({}, auth.database, { auth: configured })
  expect((await lax.client().signUp({ email: newEmail(), password: 'sunshine' })).error).toBeNull()
})
