/** Every write of the administrator's calls leaves an entry of the audit log, also where it changes little or nothing. */
import { AuthClient } from '@supabase/auth-js'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { expect, test } from 'vitest'
import { useTestServer } from '../../product/test-server.ts'
import { serviceKey } from '../testing/admin.ts'
import { newEmail } from '../testing/auth-server.ts'
import { createIdp } from '../testing/saml-provider.ts'
import { registerAdmin } from './routes.ts'

const server = useTestServer({ worker: false, env: { INGOT_SERVICE_KEY: serviceKey.padEnd(32, '-') } })
const password = 'four words nobody tries'

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await server.fetch(`/auth/v1${path}`, {
    method,
    token: serviceKey.padEnd(32, '-'),
    body: body && JSON.stringify(body),
  })
  const answer = (await response.json()) as Record<string, unknown>
  expect(response.ok, JSON.stringify(answer)).toBe(true)
  return answer
}

async function user() {
  const email = newEmail()
  const { id } = await call('POST', '/admin/users', { email, password, email_confirm: true })
  return { id: String(id), email }
}
async function unfinishedFactor() {
  const { id, email } = await user()
  const url = `${server.url}/auth/v1`
  const client = new AuthClient({ url, autoRefreshToken: false, persistSession: false })
  await client.signInWithPassword({ email, password })
  const { data } = await client.mfa.enroll({ factorType: 'totp' })
  return `/admin/users/${id}/factors/${data!.id}`
}
const idp = () => ({ type: 'saml', metadata_xml: createIdp().metadata })
const connection = async () => String((await call('POST', '/admin/sso/providers', idp()))['id'])

/** For each route what brings it a call to make: path and body. The least that each can change. */
const least: Readonly<Record<string, () => Promise<readonly [path: string, body?: object]>>> = {
  'POST /admin/users': async () => ['/admin/users', { email: newEmail() }],
  'PUT /admin/users/:id': async () => [`/admin/users/${(await user()).id}`, {}],
  'DELETE /admin/users/:id': async () => [`/admin/users/${(await user()).id}`],
  'DELETE /admin/users/:id/factors/:factor': async () => [await unfinishedFactor()],
  'POST /admin/generate_link': async () => [
    '/admin/generate_link',
    { type: 'recovery', email: (await user()).email },
  ],
  'POST /invite': async () => ['/invite', { email: newEmail() }],
  'POST /admin/sso/providers': async () => ['/admin/sso/providers', idp()],
  'PUT /admin/sso/providers/:id': async () => [`/admin/sso/providers/${await connection()}`, {}],
  'DELETE /admin/sso/providers/:id': async () => [`/admin/sso/providers/${await connection()}`],
}

/** The writes that are registered; what refuses every method does nothing. */
const writes: string[] = []
const collect = ({ method, url }: RouteOptions) => {
  if (typeof method === 'string' && method !== 'GET') writes.push(`${method} ${url}`)
}
registerAdmin({ route: collect } as unknown as FastifyInstance, {} as never)

test.each(writes)('%s', async route => {
  const [path, body] = await least[route]!()
  const before = await newest()
  await call(route.split(' ')[0]!, path, body)
  const entry = (await newest())!
  expect(entry.id).toBeGreaterThan(before?.id ?? 0n)
  expect(entry).toEqual({
    id: entry.id,
    actor: 'staff:service_role',
    role: 'service_role',
    ip: '127.0.0.1',
    operation: route.replace(' ', ' /auth/v1'),
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  })
})

const newest = () =>
  server.services.database.kysely
    .selectFrom('audit_log')
    .select(['id', 'actor', 'role', 'ip', 'operation', 'request_id'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

test('each of them was called above', () => {
  expect(writes.toSorted()).toEqual(Object.keys(least).toSorted())
})
