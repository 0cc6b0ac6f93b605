import { describe, expect, test } from 'vitest'
import { newEmail, siteUrl } from '../testing/auth-server.ts'
import { password, useTestAdmin } from '../testing/admin.ts'

const { auth, admin, made } = useTestAdmin()

describe('an invitation', () => {
  test('is mailed, accepted, and leads to a password', async () => {
    const email = newEmail()
    const redirectTo = `${siteUrl}/welcome`
    const { data, error } = await admin().inviteUserByEmail(email, {
      data: { first_name: 'Ada' },
      redirectTo,
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      invited_at: expect.any(String) as string,
      confirmation_sent_at: expect.any(String) as string,
      user_metadata: { first_name: 'Ada' },
      identities: [{ provider: 'email' }],
    })
    const [mail] = await auth.mailTo(email)
    expect(mail!.subject).toBe('You are invited to Ingot')
    const [link] = await auth.linksTo(email)
    expect(link!.searchParams.get('type')).toBe('invite')
    const { location } = await auth.follow(link!)
    expect(location.href.split('#')[0]).toBe(redirectTo)
    const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    expect(values['type']).toBe('invite')
    const client = auth.client()
    await client.setSession({
      access_token: values['access_token']!,
      refresh_token: values['refresh_token']!,
    })
    expect((await client.updateUser({ password })).error).toBeNull()
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('to somebody who is there is refused', async () => {
    const { email } = await made()
    expect((await admin().inviteUserByEmail(email!)).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    })
  })

  test('makes worthless what somebody set up in the name of the invited', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password: 'planted by somebody' })
    const [planted] = await auth.linksTo(email)
    await admin().inviteUserByEmail(email)
    const [link] = await auth.linksTo(email)
    expect(link!.href).not.toBe(planted!.href)
    await auth.follow(link!)
    const { error } = await auth.client().signInWithPassword({ email, password: 'planted by somebody' })
    expect(error).toMatchObject({ code: 'invalid_credentials' })
  })
})
