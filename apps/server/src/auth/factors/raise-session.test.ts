import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newEmail } from '../testing/auth-server.ts'
import { callAs, codeOf, refused, signedInAgain, useTestFactors, withTotp } from '../testing/factors.ts'

const { auth, remove } = useTestFactors()
const v1 = async (token: string) => {
  const answer = await fetch(`${auth.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: (await answer.json()) as { error?: { code: string } } }
}

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
