import { inTransaction } from '../db/database.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { setRole } from './set-role.ts'

const server = useTestServer({ worker: false })
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
    const { client } = await administrator()
    const user = await server.user()
    for (const role of ['moderator', 'admin', 'moderator', 'user', 'user'] as const) {
      expect(await client.admin.setRole({ id: user.id, role })).toEqual({ id: user.id, role })
      expect(await roleOf(user)).toBe(role)
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

  test.each(['demoting each other', 'one demoted while the other leaves'])(
    'stays of two at once: %s',
    async how => {
      const [a, b] = [await administrator(), await administrator()]
      // The first has taken the role and not committed when the second begins.
      const taken = Promise.withResolvers<void>()
      const mayCommit = Promise.withResolvers<void>()
      const first = inTransaction(db(), async tx => {
        await setRole(tx, a.id, { role: 'user' }, b.id)
        taken.resolve()
        await mayCommit.promise
      })
      await taken.promise
      const second =
        how === 'demoting each other'
          ? inTransaction(db(), tx => setRole(tx, b.id, { role: 'user' }, a.id))
          : deleteAccount(server.services, b.id, { by: b.id, balance: null })
      const outcome = second.catch((error: unknown) => error)
      await waitingForALock()
      mayCommit.resolve()
      await first
      expect(await outcome).toMatchObject(refusal)
      expect(await administrators()).toEqual([b.id])
    },
  )
})

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
