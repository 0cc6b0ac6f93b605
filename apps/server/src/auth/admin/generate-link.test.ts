import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newEmail, siteUrl } from '../testing/auth-server.ts'
import { password, useTestAdmin } from '../testing/admin.ts'

const { auth, admin, call, made } = useTestAdmin()

describe('a link that is generated', () => {
  const redirectTo = `${siteUrl}/welcome`
  const verify = async (type: 'signup' | 'invite' | 'magiclink' | 'recovery', token_hash: string) =>
    auth.client().verifyOtp({ type, token_hash })

  test('for a sign-up opens the account, and is not mailed', async () => {
    const email = newEmail()
    const { data, error } = await admin().generateLink({
      type: 'signup',
      email,
      password,
      options: { data: { first_name: 'Ada' }, redirectTo },
    })
    expect(error).toBeNull()
    expect(data.user!.email).toBe(email)
    // What the administrator says of them, and nothing else.
    expect(data.user!.user_metadata).toEqual({ first_name: 'Ada' })
    const { action_link, hashed_token, email_otp, ...rest } = data.properties!
    expect(rest).toEqual({ verification_type: 'signup', redirect_to: redirectTo })
    expect(email_otp).toMatch(/^\d{6,10}$/)
    expect(
      createHash('sha224')
        .update(email + email_otp)
        .digest('hex'),
    ).toBe(hashed_token)
    expect(await auth.linksTo(email)).toEqual([])
    const { location } = await auth.follow(new URL(action_link))
    expect(location.href).toMatch(`${redirectTo}#access_token=`)
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('for an invitation, a magic link and a recovery signs in, by hash or by code', async () => {
    const email = newEmail()
    const invited = await admin().generateLink({ type: 'invite', email })
    expect(invited.data.user).toMatchObject({ invited_at: expect.any(String) as string })
    const accepted = await verify('invite', invited.data.properties!.hashed_token)
    expect(accepted.data.user).toMatchObject({ email, email_confirmed_at: expect.any(String) as string })
    for (const type of ['magiclink', 'recovery'] as const) {
      const { data } = await admin().generateLink({ type, email })
      expect(data.properties!.verification_type).toBe(type)
      expect((await verify(type, data.properties!.hashed_token)).data.session).toBeTruthy()
      const again = await admin().generateLink({ type, email })
      const typed = await auth.client().verifyOtp({ type, email, token: again.data.properties!.email_otp })
      expect(typed.data.session).toBeTruthy()
    }
  })

  test('for a magic link to somebody new is a sign-up', async () => {
    const email = newEmail()
    const { data } = await admin().generateLink({ type: 'magiclink', email })
    expect(data.properties!.verification_type).toBe('signup')
    expect((await verify('signup', data.properties!.hashed_token)).data.user).toMatchObject({ email })
  })

  test('for a change of address needs both halves', async () => {
    const [email, newAddress] = [newEmail(), newEmail()]
    const { id } = await made({ email })
    const link = async (type: 'email_change_current' | 'email_change_new') => {
      const { data, error } = await admin().generateLink({ type, email, newEmail: newAddress })
      expect(error).toBeNull()
      expect(data.user!.new_email).toBe(newAddress)
      return new URL(data.properties!.action_link)
    }
    const current = await link('email_change_current')
    const accepted = await auth.follow(current)
    expect(accepted.location.hash).toContain('message=Confirmation+link+accepted')
    expect((await admin().getUserById(id)).data.user!.email).toBe(email)

    const both = [await link('email_change_current'), await link('email_change_new')]
    expect((await auth.follow(both[0]!)).location.hash).toContain('message=Confirmation+link+accepted')
    expect((await auth.follow(both[1]!)).location.hash).toContain('access_token=')
    expect((await admin().getUserById(id)).data.user!.email).toBe(newAddress)
  })

  test.each([
    ['signup', { password }],
    ['invite', {}],
  ])('is refused for somebody who is there: %s', async (type, more) => {
    const { email } = await made()
    expect(await call('POST', '/admin/generate_link', { type, email, ...more })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
  })

  test.each([
    [{ type: 'recovery' }, 404, 'user_not_found'],
    [{ type: 'email_change_new', new_email: 'a@b.c' }, 404, 'user_not_found'],
    [{ type: 'nonsense' }, 400, 'validation_failed'],
    [{ type: 'signup' }, 400, 'validation_failed'],
    [{ type: 'signup', password: 'abc' }, 422, 'weak_password'],
    [{ type: 'invite', email: 'nonsense' }, 400, 'validation_failed'],
  ])('is refused: %j', async (body, status, code) => {
    expect(await call('POST', '/admin/generate_link', { email: newEmail(), ...body })).toMatchObject({
      status,
      body: { code },
    })
  })

  test('for a change to an address that somebody has is refused', async () => {
    const [user, other] = [await made(), await made()]
    const { error } = await admin().generateLink({
      type: 'email_change_new',
      email: user.email!,
      newEmail: other.email!,
    })
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
  })
})
