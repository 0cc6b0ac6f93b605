import { GoTrueAdminApi } from '@supabase/auth-js'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { useTestServer } from '../../product/test-server.ts'

const serviceKey = 'a-service-key-of-more-than-32-characters'
const server = useTestServer({ env: { INGOT_SERVICE_KEY: serviceKey }, worker: false })
const admin = () =>
  new GoTrueAdminApi({
    url: `${server.url}/auth/v1`,
    headers: { Authorization: `Bearer ${serviceKey}` },
  })

test('an account with money ends as by its owner: nobody finds it, and the balance is to be refunded', async () => {
  const user = await server.user('25')
  const { data, error } = await admin().deleteUser(user.id)
  expect(error).toBeNull()
  expect(data.user!.id).toBe(user.id)
  for (const answer of [
    await admin().getUserById(user.id),
    await admin().updateUserById(user.id, { email: 'back@example.com' }),
    await admin().deleteUser(user.id),
  ])
    expect(answer.error).toMatchObject({ status: 404, code: 'user_not_found' })
  const { users } = (await admin().listUsers()).data
  expect(users.map(({ id }) => id)).not.toContain(user.id)
  const { rows } = await sql`select amount_micro from refund_request where user_id = ${user.id}`.execute(
    server.services.database.kysely,
  )
  expect(rows).toEqual([{ amount_micro: 25_000_000n }])
  const call = await server.fetch('/v1/wallet', { token: user.token })
  expect(call.status).toBe(401)
})

test('an account with money on hold stays', async () => {
  const user = await server.user('25')
  const at = server.services.clock.iso()
  await sql`select hold_funds(${user.id}, 'hold', 1000000, 'test', ${newId()}, ${at})`.execute(server.owner)
  expect((await admin().deleteUser(user.id)).error).toMatchObject({ status: 409, code: 'conflict' })
  expect((await admin().getUserById(user.id)).error).toBeNull()
})
