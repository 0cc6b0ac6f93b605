import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defaultSettings } from '../../settings.ts'
import { createTestAuth, siteUrl, type TestAuth } from '../../testing/auth-server.ts'
import { callAs, codeOf, refused, signedInAgain, withTotp } from '../../testing/factors.ts'
import { useTestKeys } from '../../testing/key-factors.ts'
import { createSecurityKey, type Options, type SecurityKey } from '../../testing/security-key.ts'

const { auth, remove, enroll, ask, answer, withKey, trySignIn } = useTestKeys()
afterEach(() => void vi.unstubAllGlobals())

describe('a security key', () => {
  test('is added and used by the client’s own helpers, and raises the session', async () => {
    const key = createSecurityKey()
    const user = await auth.signedIn()
    useBrowser(key)
    const added = await user.client.mfa.webauthn.register({ friendlyName: 'blue key' })
    expect(added.error).toBeNull()
    const { data: factors } = await user.client.mfa.listFactors()
    expect(factors!.webauthn).toMatchObject([
      { friendly_name: 'blue key', factor_type: 'webauthn', status: 'verified' },
    ])
    const factorId = factors!.webauthn[0]!.id

    const again = await signedInAgain(auth, user)
    const level = async () => (await again.client.mfa.getAuthenticatorAssuranceLevel()).data
    expect(await level()).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    expect((await callAs(auth, again.token, 'GET', '/../../v1/caller')).status).toBe(403)
    const used = await again.client.mfa.webauthn.authenticate({ factorId })
    expect(used.error).toBeNull()
    expect(await level()).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    const before = (await user.client.getClaims()).data!.claims
    const { claims } = (await again.client.getClaims()).data!
    expect(before).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] })
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] })
    expect(claims.amr).not.toContainEqual(
      expect.objectContaining({ factor_id: expect.anything() as unknown }),
    )
  })

  test('is asked for as browsers expect it, for this host, with the other keys named', async () => {
    const { token, factorId, key } = await withKey()
    const second = await enroll(token, 'second')
    const { webauthn, publicKey, expires_at } = await ask(token, second)
    expect(Math.abs(expires_at - 300 - Date.now() / 1000)).toBeLessThan(5)
    expect(webauthn.type).toBe('create')
    expect(publicKey).toMatchObject({
      rp: { id: 'localhost', name: 'Ingot' },
      attestation: 'none',
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
      excludeCredentials: [
        { type: 'public-key', id: key.id.toString('base64url'), transports: ['usb', 'nfc'] },
      ],
      authenticatorSelection: { userVerification: 'preferred' },
      timeout: 300_000,
    })
    const known = await ask(token, factorId)
    expect(known.webauthn.type).toBe('request')
    expect(known.publicKey).toMatchObject({
      rpId: 'localhost',
      userVerification: 'preferred',
      allowCredentials: [
        { type: 'public-key', id: key.id.toString('base64url'), transports: ['usb', 'nfc'] },
      ],
    })
    expect(known.publicKey.challenge).not.toBe((await ask(token, factorId)).publicKey.challenge)
  })

  test('is told to the owner by mail when it is added and when it is removed', async () => {
    const user = await withKey()
    await callAs(auth, user.token, 'DELETE', `/factors/${user.factorId}`)
    const [removed, added] = await auth.mailTo(user.email)
    expect(added).toMatchObject({ subject: expect.stringMatching(/^A second factor was added/) as string })
    expect(added!.text).toContain('a security key (')
    expect(removed).toMatchObject({
      subject: expect.stringMatching(/^A second factor was removed/) as string,
    })
  })

  test('needs the second factor to be added beside another, and to be removed', async () => {
    const user = await withTotp(auth)
    const weak = await signedInAgain(auth, user)
    expect(await callAs(auth, weak.token, 'POST', '/factors', { factor_type: 'webauthn' })).toMatchObject(
      refused(403, 'insufficient_aal', 'AAL2 required to enroll a new factor'),
    )
    const { token, factorId } = await withKey(createSecurityKey(), user)
    expect(await remove(weak.token, factorId)).toMatchObject({ status: 403 })
    const other = await signedInAgain(auth, user)
    expect(await remove(other.token, factorId)).toMatchObject(refused(422, 'insufficient_aal'))
    expect(await remove(token, factorId)).toMatchObject({ status: 200, body: { id: factorId } })
  })

  test('shuts out a factor that somebody with the password had left unfinished before', async () => {
    const owner = await auth.signedIn()
    const { client } = await signedInAgain(auth, owner)
    const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'planted' })
    if (data?.type !== 'totp') throw new Error('no TOTP factor')
    const user = await withKey(createSecurityKey(), owner)
    const finish = async (token: string) => {
      const { body } = await callAs(auth, token, 'POST', `/factors/${data.id}/challenge`, {})
      const answer = { challenge_id: body['id'], code: codeOf(data.totp.secret) }
      return callAs(auth, token, 'POST', `/factors/${data.id}/verify`, answer)
    }
    const { token } = await signedInAgain(auth, owner)
    expect(await finish(token)).toMatchObject(refused(403, 'insufficient_aal'))
    expect((await finish(user.token)).status).toBe(200)
  })

  test('takes its sessions down with it when it is removed', async () => {
    const user = await withKey()
    expect((await remove(user.token, user.factorId)).status).toBe(200)
    const { rows } = await sql<{ aal: string }>`
      select aal from auth_session where user_id = ${user.id}`.execute(auth.database.kysely)
    expect(rows).toEqual([{ aal: 'aal1' }])
  })

  test('is one factor of a user, and may be one of somebody else’s too', async () => {
    const key = createSecurityKey()
    const user = await withKey(key)
    const factorId = await enroll(user.token, 'again')
    const { id, publicKey } = await ask(user.token, factorId)
    expect(await answer(user.token, factorId, id, 'create', key.create(publicKey))).toMatchObject(
      refused(422, 'mfa_verified_factor_exists'),
    )
    await withKey(key)
  })

  test('that does not count is taken again and again', async () => {
    const user = await withKey()
    const still = async () => {
      user.key.counter = -1
      return (await trySignIn(user)).status
    }
    await sql`update auth_factor set sign_count = 0 where id = ${user.factorId}`.execute(auth.database.kysely)
    expect(await still()).toBe(200)
    expect(await still()).toBe(200)
  })
})

describe('security keys can be off', () => {
  const refusals = async (other: TestAuth, token: string, factorId: string) => {
    const call = (path: string, body: object) => callAs(other, token, 'POST', path, body)
    return [
      await call('/factors', { factor_type: 'webauthn' }),
      await call(`/factors/${factorId}/challenge`, {}),
    ]
  }
  const off = [
    refused(422, 'mfa_webauthn_enroll_not_enabled'),
    refused(422, 'mfa_webauthn_verify_not_enabled'),
  ]

  test('by the operator', async () => {
    const { token, factorId } = await withKey()
    const factors = { ...defaultSettings({ loopback: true }).factors, webauthn: false }
    await using other = await createTestAuth({ factors }, auth.database)
    expect(await refusals(other, token, factorId)).toMatchObject(off)
  })

  test.each(['http://cloud.example.com', 'https://192.0.2.1', 'http://[::1]:8080'])(
    'by the address: at %s no browser offers them',
    async publicUrl => {
      const { token, factorId } = await withKey()
      await using other = await createTestAuth({}, auth.database, { publicUrl })
      expect(await refusals(other, token, factorId)).toMatchObject(off)
    },
  )
})

/** What the client looks for in a browser. */
function useBrowser(key: SecurityKey): void {
  // The client looks whether a credential is an instance of it.
  const PublicKeyCredential = Object
  const { hostname, origin } = new URL(siteUrl)
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential)
  vi.stubGlobal('document', {})
  vi.stubGlobal('window', { PublicKeyCredential, location: { hostname, origin } })
  vi.stubGlobal('navigator', {
    credentials: {
      create: async ({ publicKey }: { publicKey: Options }) => key.create(publicKey),
      get: async ({ publicKey }: { publicKey: Options }) => key.get(publicKey),
    },
  })
}
