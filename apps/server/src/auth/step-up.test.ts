import { IngotError } from '@ingot/contracts/errors'
import { api } from '@ingot/contracts/api'
import { isOfStaff, nothing, operation, type Operation, pathKeys } from '@ingot/contracts/operation'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { appendAudit } from '../db/audit-log.ts'
import { newId } from '../db/ids.ts'
import { bindAll } from '../http/bind.ts'
import { sendError } from '../http/errors.ts'
import { type TestUser, useTestServer } from '../product/test-server.ts'
import { hashPassword } from './passwords/passwords.ts'
import { createAuthenticate } from './sessions/authenticate.ts'
import { createStepUp } from './step-up.ts'

const server = useTestServer({ worker: false })
const strict = useTestServer({ worker: false, env: { INGOT_STAFF_FACTOR: 'required' } })
const password = 'four words nobody tries'
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const writes = operations.filter(op => isOfStaff(op) && op.method !== 'GET')

async function administrator(on = server): Promise<TestUser> {
  const user = await on.user()
  const db = on.services.database.kysely
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db)
  await db
    .updateTable('auth_user')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', user.id)
    .execute()
  return user
}

/** What their session showed was shown so many minutes earlier. */
const age = ({ sessionId }: TestUser, minutes: number, on = server) =>
  sql`
    update auth_session set created_at = created_at - ${minutes} * interval '1 minute', amr = (
      select jsonb_agg(m || jsonb_build_object('timestamp', (m->>'timestamp')::bigint - ${minutes * 60}::int)) from jsonb_array_elements(amr) m)
    where id = ${sessionId}`.execute(on.services.database.kysely)

async function enrol({ id, sessionId }: TestUser, { shown }: { readonly shown: boolean }, on = server) {
  const db = on.services.database.kysely
  const factor = newId()
  await sql`
    insert into auth_factor (id, user_id, friendly_name, factor_type, status, phone)
    values (${factor}, ${id}, 'mine', 'phone', 'verified', '15550001111')`.execute(db)
  if (shown)
    await sql`
      update auth_session set aal = 'aal2', amr = jsonb_build_array(jsonb_build_object('method', 'totp',
        'timestamp', floor(extract(epoch from now()))::bigint, 'factor_id', ${factor}::text)) || amr
      where id = ${sessionId}`.execute(db)
}

/** Every one of these, with a field that does not exist: `open`, or the code that refuses. */
async function outcomes(list: readonly Operation[], token: string, on = server) {
  const found = await Promise.all(
    list.map(async op => {
      const path = op.path.replace(/\{\w+\}/g, newId())
      const isQuery = op.method === 'DELETE'
      const response = await on.fetch(isQuery ? `${path}?unknown=1` : path, {
        method: op.method,
        token,
        body: isQuery ? undefined : '{"unknown":1}',
      })
      const { error } = (await response.json()) as {
        error: { code: string; fields?: Record<string, string> }
      }
      return [op.id, error.fields?.['unknown'] ? 'open' : error.code] as const
    }),
  )
  return Object.fromEntries(found)
}
const all = (list: readonly Operation[], what: string) => Object.fromEntries(list.map(op => [op.id, what]))

beforeEach(() => sql`delete from user_roles`.execute(server.services.database.kysely))

describe('calls about money and roles', () => {
  const fresh = operations.filter(op => op.fresh)

  test('are marked', () =>
    expect(fresh.map(op => op.id)).toEqual(
      expect.arrayContaining([
        'takePayout',
        'refuseWithdrawal',
        'setRefundAddress',
        'approvePayment',
        'rejectPayment',
        'creditWallet',
        'debitWallet',
        'setUserRole',
        'beginActing',
      ]),
    ))

  test('are open for ten minutes after a sign-in, and the others longer', async () => {
    const admin = await administrator()
    await age(admin, 9)
    expect(await outcomes(writes, admin.token)).toEqual(all(writes, 'open'))
    await age(admin, 2)
    expect(await outcomes(writes, admin.token)).toEqual({
      ...all(writes, 'open'),
      ...all(fresh, 'proof_required'),
    })
  })

  test('are open again with the password, for ten minutes; a wrong one changes nothing', async () => {
    const admin = await administrator()
    const user = await server.user()
    await age(admin, 20)
    const promote = () => admin.client.admin.setRole({ id: user.id, role: 'moderator' })
    await expect(promote()).rejects.toMatchObject({ code: 'proof_required', status: 403 })
    expect(await admin.client.accounts.proof()).toEqual({ by: 'password', fresh_until: null })
    await expect(admin.client.accounts.prove({ password: 'wrong' })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { password: 'The password is wrong' },
    })
    await expect(promote()).rejects.toMatchObject({ code: 'proof_required' })
    const { fresh_until } = await admin.client.accounts.prove({ password })
    const minutes = (Date.parse(fresh_until!) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(9.9)
    expect(minutes).toBeLessThanOrEqual(10)
    expect(await promote()).toMatchObject({ role: 'moderator' })
    await age(admin, 11)
    await expect(promote()).rejects.toMatchObject({ code: 'proof_required' })
  })

  test('wait after wrong passwords, as a sign-in does', async () => {
    const admin = await administrator()
    const codes: string[] = []
    for (let n = 0; n < 30 && !codes.includes('rate_limited'); n++)
      await admin.client.accounts
        .prove({ password: `wrong ${n}` })
        .catch((error: unknown) => codes.push((error as IngotError).code))
    expect(codes[0]).toBe('validation_failed')
    expect(codes.at(-1)).toBe('rate_limited')
    await expect(admin.client.accounts.prove({ password })).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('ask whoever has a second factor for that, and not for the password', async () => {
    const admin = await administrator()
    const user = await server.user()
    const promote = () => admin.client.admin.setRole({ id: user.id, role: 'moderator' })
    await enrol(admin, { shown: false })
    // Refused whatever it asks for: a session that owes its second factor is half a session.
    await expect(promote()).rejects.toMatchObject({ code: 'mfa_required' })
    await sql`delete from auth_factor where user_id = ${admin.id}`.execute(server.services.database.kysely)
    await enrol(admin, { shown: true })
    await promote()
    await age(admin, 11)
    await expect(promote()).rejects.toMatchObject({ code: 'proof_required' })
    expect(await admin.client.accounts.proof()).toEqual({ by: 'factor', fresh_until: null })
    await expect(admin.client.accounts.prove({ password })).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('take a sign-in of minutes ago where there is neither password nor factor', async () => {
    const admin = await administrator()
    await sql`update auth_user set password_hash = null where id = ${admin.id}`.execute(
      server.services.database.kysely,
    )
    await sql`update auth_session set amr = '[{"method": "oauth", "timestamp": 1}]' where id = ${admin.sessionId}`.execute(
      server.services.database.kysely,
    )
    expect((await admin.client.accounts.proof()).fresh_until).not.toBeNull()
    await age(admin, 11)
    expect((await admin.client.accounts.proof()).fresh_until).toBeNull()
  })

  test('may be of customers too, by the mark alone', async () => {
    const { services } = server
    const user = await server.user()
    const app = Fastify()
    app.setErrorHandler(sendError)
    const op = operation({
      id: 'burn',
      method: 'POST',
      path: '/burn',
      who: 'session',
      fresh: true,
      summary: '',
      input: nothing,
      output: nothing,
      status: 200,
      errors: [],
    })
    bindAll(
      app,
      { wallet: { op } },
      {
        wallet: {
          op: async (_, { db, caller }) => {
            await appendAudit(db, { kind: 'account', id: caller.userId, userId: caller.userId })
            return {}
          },
        },
      },
      { ...services, authenticate: createAuthenticate(services), stepUp: createStepUp(services) },
    )
    const call = async () => {
      const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' }
      return (await app.inject({ method: 'POST', url: '/burn', headers, payload: '{}' })).statusCode
    }
    expect(await call()).toBe(200)
    await age(user, 11)
    expect(await call()).toBe(403)
    await app.close()
  })
})

describe('where the operator demands a second factor of staff', () => {
  test('every write of theirs is refused without one, and no reading', async () => {
    const admin = await administrator(strict)
    expect(await outcomes(writes, admin.token, strict)).toEqual(all(writes, 'factor_required'))
    const reads = operations.filter(op => isOfStaff(op) && op.method === 'GET' && !pathKeys(op.path).length)
    for (const op of reads)
      // Some ask for more than their path says.
      expect([200, 422], op.id).toContain((await strict.fetch(op.path, { token: admin.token })).status)
    // They can set one up, and what they do as a customer is not staff's.
    expect((await admin.client.accounts.update({ company: 'Ours' })).company).toBe('Ours')
  })

  test('every write of theirs is open with one', async () => {
    const admin = await administrator(strict)
    await enrol(admin, { shown: true }, strict)
    expect(await outcomes(writes, admin.token, strict)).toEqual(all(writes, 'open'))
  })
})
