/** Somebody opens an account with the number of another person, who proves the number later. */
import { describe, expect, test } from 'vitest'
import { createTestAuth, newPhone } from './testing/auth-server.ts'
import { inbox, useTestPhones } from './testing/phones.ts'

const { auth, post, later, codeTo } = useTestPhones()

const strangers = 'password of a stranger'
const owners = 'password of the owner'

const signIn = async (phone: string, password: string) =>
  (await auth.client().signInWithPassword({ phone, password })).error?.code ?? 'signed in'

async function prove(phone: string) {
  const client = auth.client()
  const { error } = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
  expect(error).toBeNull()
  return client
}

describe('a number that somebody else signed up with', () => {
  test('has the password of the sign-up whose code was typed', async () => {
    const phone = newPhone()
    await post('/signup', { phone, password: strangers })
    await later()
    await post('/signup', { phone, password: owners })
    await prove(phone)
    expect(await signIn(phone, strangers)).toBe('invalid_credentials')
    expect(await signIn(phone, owners)).toBe('signed in')
  })

  test('keeps that password when the code is sent again', async () => {
    const phone = newPhone()
    await post('/signup', { phone, password: strangers })
    await later()
    await post('/signup', { phone, password: owners })
    await later()
    await post('/resend', { type: 'sms', phone })
    await prove(phone)
    expect(await signIn(phone, strangers)).toBe('invalid_credentials')
    expect(await signIn(phone, owners)).toBe('signed in')
  })

  test('has none after a code that was asked for without one', async () => {
    const phone = newPhone()
    await post('/signup', { phone, password: strangers })
    await later()
    await post('/otp', { phone })
    await prove(phone)
    expect(await signIn(phone, strangers)).toBe('invalid_credentials')
  })
})

test('where accounts open without a code, the first one ends password, sessions and factors of whoever opened it', async () => {
  await using open = await createTestAuth({ phoneAutoconfirm: true }, auth.database, inbox)
  const phone = newPhone()
  const stranger = open.client()
  await stranger.signUp({ phone, password: strangers })
  await stranger.updateUser({ email: `planted-${phone.slice(1)}@example.com` })
  await stranger.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  await post('/otp', { phone })
  const owner = await prove(phone)
  expect((await stranger.getUser()).error).not.toBeNull()
  expect(await signIn(phone, strangers)).toBe('invalid_credentials')
  const user = (await owner.getUser()).data.user!
  expect(user).toMatchObject({ identities: [{ provider: 'phone' }] })
  expect(user.factors ?? []).toEqual([])
  expect(user).not.toHaveProperty('new_email')
})
