import { inTransaction, type Tx } from '../db/database.ts'
import { GoTrueAdminApi } from '@supabase/auth-js'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { assertAnotherAdministrator } from '../auth/assert-another-administrator.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { setRole } from './set-role.ts'

const serviceKey = 'a-service-key-of-thirty-two-characters'
const server = useTestServer({ worker: false, env: { INGOT_SERVICE_KEY: serviceKey } })
const db = () => server.services.database.kysely
const nobody = '01980000-0000-7000-8000-0000000000ff'

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}
const roleOf = async ({ client }: TestUser) => (await client.accounts.userRole()).role
const administrators = async () => {
  const rows = await db().selectFrom('user_roles').select('user_id').where('role', '=', 'admin').execute()
  return rows.map(row => row.user_id)
}

beforeEach(() => sql`delete from user_roles`.execute(db()))

describe('an administrator', () => {
  test('gives and takes roles, one at a time, with effect on the next call', async () => {
    const { client, id: by } = await administrator()
    const user = await server.user()
    for (const role of ['moderator', 'admin', 'moderator', 'user', 'user'] as const) {
      expect(await client.admin.setRole({ id: user.id, role })).toEqual({ id: user.id, role })
      expect(await roleOf(user)).toBe(role)
      // It takes the place of the one before, and says who gave it.
      const rows = await db().selectFrom('user_roles').selectAll().where('user_id', '=', user.id).execute()
      expect(rows).toMatchObject(role === 'user' ? [] : [{ role, created_by: by }])
      expect(rows).toHaveLength(role === 'user' ? 0 : 1)
    }
  })

  test('cannot give one to nobody, or to a deleted account', async () => {
    const { client, id: by } = await administrator()
    const leaver = await server.user()
    await deleteAccount(server.services, leaver.id, { by, balance: null })
    for (const id of [nobody, leaver.id])
      await expect(client.admin.setRole({ id, role: 'admin' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the last administrator', () => {
  const refusal = { code: 'last_administrator', status: 409 }

  test('cannot be made anything else, or be deleted; with another one it is possible', async () => {
    const last = await administrator()
    const demote = () => last.client.admin.setRole({ id: last.id, role: 'moderator' })
    const leave = () => deleteAccount(server.services, last.id, { by: last.id, balance: null })
    await expect(demote()).rejects.toMatchObject(refusal)
    await expect(leave()).rejects.toMatchObject(refusal)
    expect(await roleOf(last)).toBe('admin')
    await administrator()
    await leave()
    expect(await administrators()).toHaveLength(1)
  })

  test('is who is left beside administrators that are banned', async () => {
    const last = await administrator()
    const banned = await administrator()
    await sql`update auth_user set banned_until = 'infinity' where id = ${banned.id}`.execute(db())
    await expect(last.client.admin.setRole({ id: last.id, role: 'user' })).rejects.toMatchObject(refusal)
  })

  const ban = async ({ id }: TestUser) => {
    const headers = { Authorization: `Bearer ${serviceKey}` }
    const admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers })
    return (await admin.updateUserById(id, { ban_duration: '24h' })).error
  }

  test('cannot be banned; with another one it is possible', async () => {
    const last = await administrator()
    expect(await ban(last)).toMatchObject({
      status: 409,
      code: 'conflict',
      message: 'There must be another administrator first',
    })
    expect(await roleOf(last)).toBe('admin')
    await administrator()
    expect(await ban(last)).toBeNull()
  })

  test('stays of two at once: one demoted while the other is banned, whichever is first', async () => {
    const [a, b] = [await administrator(), await administrator()]
    const demote = (tx: Tx) => setRole(tx, a.id, { role: 'user' }, b.id)
    expect(await whileOpen(demote, () => ban(b))).toMatchObject({ status: 409 })
    await sql`insert into user_roles (user_id, role) values (${a.id}, 'admin')`.execute(db())
    const banFirst = async (tx: Tx) => {
      await assertAnotherAdministrator(tx, b.id)
      await tx.updateTable('auth_user').set({ banned_until: 'infinity' }).where('id', '=', b.id).execute()
    }
    expect(await whileOpen(banFirst, () => inTransaction(db(), demote))).toMatchObject(refusal)
    expect(await administrators()).toHaveLength(2)
  })

  test.each(['demoting each other', 'one demoted while the other leaves'])(
    'stays of two at once: %s',
    async how => {
      const [a, b] = [await administrator(), await administrator()]
      const second =
        how === 'demoting each other'
          ? () => inTransaction(db(), tx => setRole(tx, b.id, { role: 'user' }, a.id))
          : () => deleteAccount(server.services, b.id, { by: b.id, balance: null })
      const outcome = await whileOpen(tx => setRole(tx, a.id, { role: 'user' }, b.id), second)
      expect(outcome).toMatchObject(refusal)
      expect(await administrators()).toEqual([b.id])
    },
  )
})

/** What `second` comes to, which begins when `first` has been done and is not committed yet, and waits for it. */
async function whileOpen(first: (tx: Tx) => Promise<void>, second: () => Promise<unknown>): Promise<unknown> {
  const done = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const open = inTransaction(db(), async tx => {
    await first(tx)
    done.resolve()
    await mayCommit.promise
  })
  await done.promise
  const outcome = second().catch((error: unknown) => error)
  try {
    await waitingForALock()
  } finally {
    mayCommit.resolve()
    await open
  }
  return outcome
}

const waitingForALock = () =>
  until(
    async () =>
      (
        await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db(),
        )
      ).rows.length,
    waiting => waiting > 0,
  )
