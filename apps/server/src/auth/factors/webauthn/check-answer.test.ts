/** What a security key's answer must not get through with. */
import { sign, X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../providers/saml/self-signed.ts'
import { callAs, refused, signedInAgain } from '../../testing/factors.ts'
import { useTestKeys, wrongKey } from '../../testing/key-factors.ts'
import { createSecurityKey, type Lies } from '../../testing/security-key.ts'

const { auth, remove, enroll, ask, answer, withKey, trySignIn } = useTestKeys()

describe('an answer is refused', () => {
  test('when it was given before: a challenge works once', async () => {
    const user = await withKey()
    const { token } = await signedInAgain(auth, user)
    const { id, publicKey } = await ask(token, user.factorId)
    const given = user.key.get(publicKey)
    const both = await Promise.all([1, 2].map(() => answer(token, user.factorId, id, 'request', given)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422])
    const next = await signedInAgain(auth, user)
    expect(await answer(next.token, user.factorId, id, 'request', given)).toMatchObject(
      refused(422, 'mfa_ip_address_mismatch'),
    )
    const other = await ask(next.token, user.factorId)
    expect(await answer(next.token, user.factorId, other.id, 'request', given)).toMatchObject(wrongKey)
  })

  test('when its challenge has expired, or was asked from another network', async () => {
    const user = await withKey()
    const { token } = await signedInAgain(auth, user)
    const { id, publicKey } = await ask(token, user.factorId)
    const given = user.key.get(publicKey)
    expect(await answer(token, user.factorId, id, 'request', given, '192.0.2.7')).toMatchObject(
      refused(422, 'mfa_ip_address_mismatch'),
    )
    await sql`update auth_factor_challenge set expires_at = now() where id = ${id}`.execute(
      auth.database.kysely,
    )
    expect(await answer(token, user.factorId, id, 'request', given)).toMatchObject(
      refused(422, 'mfa_challenge_expired'),
    )
  })

  test.each<[string, Lies]>([
    ['another origin', { origin: 'http://localhost:9999' }],
    ['another host', { rpId: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['another ceremony', { type: 'webauthn.get2' }],
    ['nobody’s touch', { present: false }],
    ['another credential', { credentialId: Buffer.alloc(32, 7) }],
  ])('when it is for %s, while adding and later', async (_, lies) => {
    const owner = await auth.signedIn()
    const factorId = await enroll(owner.token)
    const { id, publicKey } = await ask(owner.token, factorId)
    const created = createSecurityKey().create(publicKey, lies)
    if (!lies.credentialId)
      expect(await answer(owner.token, factorId, id, 'create', created)).toMatchObject(wrongKey)
    const user = await withKey()
    expect(await trySignIn(user, lies)).toMatchObject(wrongKey)
    expect((await trySignIn(user)).status).toBe(200)
  })

  test('when the caller names another host or origin: the server’s own are asked for', async () => {
    const { token, id: userId } = await auth.signedIn()
    const factorId = await enroll(token)
    const { id, publicKey } = await ask(token, factorId, 'https://evil.example')
    expect(publicKey).toMatchObject({ rp: { id: 'localhost' } })
    const lies = { origin: 'https://evil.example', rpId: 'evil.example' }
    const created = createSecurityKey().create(publicKey, lies)
    const body = {
      challenge_id: id,
      webauthn: {
        type: 'create',
        rpId: 'evil.example',
        rpOrigins: ['https://evil.example'],
        credential_response: created,
      },
    }
    expect(await callAs(auth, token, 'POST', `/factors/${factorId}/verify`, body)).toMatchObject(wrongKey)
    const { rows } =
      await sql`select from auth_factor where user_id = ${userId} and status = 'verified'`.execute(
        auth.database.kysely,
      )
    expect(rows).toEqual([])
  })

  test('when the counter stands still or goes back: the key was copied', async () => {
    const user = await withKey()
    const first = user.key.counter
    expect((await trySignIn(user)).status).toBe(200)
    user.key.counter = first
    expect(await trySignIn(user)).toMatchObject(wrongKey)
    user.key.counter = first - 1
    expect(await trySignIn(user)).toMatchObject(wrongKey)
    user.key.counter = first + 1
    expect((await trySignIn(user)).status).toBe(200)
  })

  test('when another key signed it, be it somebody else’s factor or a new pair under the same id', async () => {
    const [user, stranger] = [await withKey(), await withKey()]
    expect(await trySignIn(user, {}, stranger.key)).toMatchObject(wrongKey)
    expect(await trySignIn(user, { credentialId: user.key.id }, stranger.key)).toMatchObject(wrongKey)
  })

  test('when the factor or the challenge is somebody else’s', async () => {
    const [user, stranger] = [await withKey(), await withKey()]
    const { id, publicKey } = await ask(user.token, user.factorId)
    const given = user.key.get(publicKey)
    expect(await answer(stranger.token, user.factorId, id, 'request', given)).toMatchObject(
      refused(404, 'mfa_factor_not_found'),
    )
    expect(
      await callAs(auth, stranger.token, 'POST', `/factors/${user.factorId}/challenge`, {}),
    ).toMatchObject(refused(404, 'mfa_factor_not_found'))
    expect(await answer(stranger.token, stranger.factorId, id, 'request', given)).toMatchObject(
      refused(422, 'mfa_factor_not_found'),
    )
    expect(await remove(stranger.token, user.factorId)).toMatchObject(refused(404, 'mfa_factor_not_found'))
  })

  test('when a verified factor is answered with a new key', async () => {
    const user = await withKey()
    const { token } = await signedInAgain(auth, user)
    const { id, publicKey } = await ask(token, user.factorId)
    const created = createSecurityKey().create(publicKey)
    expect(await answer(token, user.factorId, id, 'create', created)).toMatchObject(
      refused(400, 'validation_failed', 'WebAuthn type must be request'),
    )
    expect(await answer(token, user.factorId, id, 'request', created)).toMatchObject(
      refused(400, 'validation_failed'),
    )
  })

  test('and counted: many wrong ones make the next try wait', async () => {
    const user = await withKey()
    const { token } = await signedInAgain(auth, user)
    const { id, publicKey } = await ask(token, user.factorId)
    const bad = user.key.get(publicKey, { origin: 'https://evil.example' })
    for (let n = 0; n < 6; n++)
      expect(await answer(token, user.factorId, id, 'request', bad)).toMatchObject(wrongKey)
    expect(await answer(token, user.factorId, id, 'request', user.key.get(publicKey))).toMatchObject(
      refused(429, 'over_request_rate_limit'),
    )
  })

  test('when it brings certificates, which nobody asked for and checking would call their makers', async () => {
    const { token } = await auth.signedIn()
    const factorId = await enroll(token)
    const { id, publicKey } = await ask(token, factorId)
    const key = createSecurityKey()
    const certificate = new X509Certificate(selfSigned(key.privateKey, 'key')).raw
    const created = key.create(publicKey, {
      attestation: ({ host, clientDataHash, id, point }) =>
        new Map<string, unknown>([
          ['x5c', [certificate]],
          [
            'sig',
            sign('sha256', Buffer.concat([Buffer.alloc(1), host, clientDataHash, id, point]), key.privateKey),
          ],
        ]),
    })
    expect(await answer(token, factorId, id, 'create', created)).toMatchObject(wrongKey)
    expect((await answer(token, factorId, id, 'create', key.create(publicKey))).status).toBe(200)
  })

  test.each<[string, (given: Record<string, unknown>) => unknown]>([
    ['nothing', () => undefined],
    ['a list', () => []],
    ['a part that is too long', given => part(given, 'attestationObject', 'A'.repeat(8193))],
    ['24 KB in all', given => ({ ...given, more: 'x'.repeat(24 * 1024) })],
    ['a part that is no base64url', given => part(given, 'clientDataJSON', 'a b')],
    ['a part that is no text', given => part(given, 'clientDataJSON', 7)],
    ['an id that is too long', given => ({ ...given, id: 'A'.repeat(1365), rawId: 'A'.repeat(1365) })],
    ['two ids', given => ({ ...given, rawId: 'AAAA' })],
    ['an empty id', given => ({ ...given, id: '', rawId: '' })],
  ])('as unreadable with %s', async (_, change) => {
    const { token } = await auth.signedIn()
    const factorId = await enroll(token)
    const { id, publicKey } = await ask(token, factorId)
    const given = createSecurityKey().create(publicKey).toJSON() as Record<string, unknown>
    expect(await answer(token, factorId, id, 'create', change(given) as object)).toMatchObject(
      refused(400, 'validation_failed'),
    )
  })

  test('without an error of ours, whatever bytes it is made of', async () => {
    const { token } = await auth.signedIn()
    const factorId = await enroll(token)
    const { id, publicKey } = await ask(token, factorId)
    const given = createSecurityKey().create(publicKey).toJSON() as Record<string, unknown>
    const odd = [
      Buffer.from('null'),
      Buffer.from('{"type":"webauthn.create","challenge":{}}'),
      Buffer.alloc(6000, 0x81),
      Buffer.from([0xff]),
      Buffer.from([0xa0]),
    ].map(bytes => bytes.toString('base64url'))
    for (const name of ['clientDataJSON', 'attestationObject'])
      for (const bytes of odd) {
        const status = (await answer(token, factorId, id, 'create', part(given, name, bytes))).status
        expect([422, 429]).toContain(status)
      }
  })
})

/** `given` with one part of its response changed. */
const part = (given: Record<string, unknown>, name: string, value: unknown) => ({
  ...given,
  response: { ...(given['response'] as object), [name]: value },
})
