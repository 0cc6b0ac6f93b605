import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { apiVersion, createTestAuth, type TestAuth } from '../testing/auth-server.ts'
import { adminOf, serviceKey, useTestAdmin } from '../testing/admin.ts'

const { auth, admin, call } = useTestAdmin()

describe('who may', () => {
  const paths = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', `/admin/users/${newId()}`],
    ['PUT', `/admin/users/${newId()}`],
    ['DELETE', `/admin/users/${newId()}`],
    ['GET', `/admin/users/${newId()}/factors`],
    ['DELETE', `/admin/users/${newId()}/factors/${newId()}`],
    ['POST', '/admin/generate_link'],
    ['POST', '/invite'],
    ['GET', '/admin/sso/providers'],
    ['POST', '/admin/oauth/clients'],
    ['GET', '/admin/nothing'],
  ] as const

  test.each(paths)('%s %s: nobody without a token, nor an ordinary user', async (method, path) => {
    const { token } = await user()
    expect(await auth.call(method, path, { headers: apiVersion })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' },
    })
    expect(await auth.call(method, path, { token, headers: apiVersion })).toMatchObject({
      status: 403,
      body: { code: 'not_admin', message: 'User not allowed' },
    })
    for (const wrong of [`${serviceKey}x`, serviceKey.slice(1), 'x'])
      expect(await auth.call(method, path, { token: wrong, headers: apiVersion })).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      })
  })

  let ordinary: Awaited<ReturnType<TestAuth['signedIn']>> | undefined
  const user = async () => (ordinary ??= await auth.signedIn())

  test('a user whose role says so, until it no longer does', async () => {
    const { id, email, password } = await auth.signedIn()
    await admin().updateUserById(id, { role: 'service_role' })
    const { data } = await auth.client().signInWithPassword({ email, password })
    const theirs = adminOf(auth, data.session!.access_token)
    expect((await theirs.getUserById(id)).data.user!.role).toBe('service_role')
    await admin().updateUserById(id, { role: 'authenticated' })
    expect((await theirs.getUserById(id)).error).toMatchObject({ status: 403, code: 'not_admin' })
  })

  test('nobody by a key where the operator set none', async () => {
    await using other = await createTestAuth({}, auth.database)
    const { error } = await adminOf(other).listUsers()
    expect(error).toMatchObject({ status: 403, code: 'bad_jwt' })
  })

  test('and the key is no session', async () => {
    expect(await call('GET', '/user')).toMatchObject({ status: 403, body: { code: 'bad_jwt' } })
  })
})

test('what is not offered says so to administrators alone', async () => {
  expect(await call('GET', '/admin/oauth/clients')).toMatchObject({
    status: 404,
    body: { code: 'feature_disabled' },
  })
  expect(await call('GET', '/admin/nothing')).toMatchObject({ status: 404, body: { code: 'unknown' } })
})
