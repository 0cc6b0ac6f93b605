import { describe, expect, test } from 'vitest'
import { GoTrueAdminApi } from '@supabase/auth-js'
import { sql } from 'kysely'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from './test-server.ts'

const serviceKey = 'a-service-key-of-thirty-two-characters'
const server = useTestServer({ env: { INGOT_SERVICE_KEY: serviceKey } })
const db = () => server.services.database.kysely

const factsOf = ({ id }: TestUser) =>
  db()
    .selectFrom('event')
    .select(['type', 'actor', 'operation'])
    .where('user_id', '=', id)
    .orderBy('id')
    .execute()
const running = ({ client }: Pick<TestUser, 'client'>, id: string) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === 'running',
  )

describe('a fact', () => {
  test('names the user or the key, and the call; what the worker does for it is the system’s', async () => {
    const user = await server.user('25')
    const { key_value } = await user.client.accounts.generateApiKey({})
    const keyId = (await user.client.accounts.apiKey()).key!.id
    const { id } = await user.client.instances.create(a40())
    await running(user, id)
    const withKey = server.client(key_value)
    await withKey.instances.stop({ id })
    await until(
      () => user.client.instances.get({ id }),
      each => each.status === 'stopped',
    )
    const by = async (type: string) => {
      const { actor, operation } = (await factsOf(user)).find(fact => fact.type === type)!
      return [actor, operation]
    }
    expect(await by('api_key.generated')).toEqual([`user:${user.id}`, 'generate_api_key'])
    expect(await by('instance.created')).toEqual([`user:${user.id}`, 'createInstance'])
    expect(await by('instance.started')).toEqual(['system', null])
    expect(await by('instance.stopped')).toEqual([`key:${keyId}`, 'stopInstance'])
    expect(await by('instance.halted')).toEqual(['system', null])

    const { items } = await user.client.activity.usageLogs({})
    const shown = Object.fromEntries(items.map(({ action, actor }) => [action, actor]))
    expect(shown).toMatchObject({
      api_key_generated: 'user',
      instance_created: 'user',
      instance_started: 'system',
      instance_stopped: 'api_key',
    })
  })

  test('names staff where they do it, and nobody where it is older than this', async () => {
    const user = await server.user()
    await sql`
      insert into event (user_id, type, at, actor) values (${user.id}, 'api_key.revoked', now(), null)`.execute(
      db(),
    )
    expect((await user.client.activity.usageLogs({})).items[0]!.actor).toBeNull()
    const headers = { Authorization: `Bearer ${serviceKey}` }
    await new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers }).deleteUser(user.id)
    expect(await factsOf(user)).toEqual([
      { type: 'account.deleted', actor: 'staff:service_role', operation: 'DELETE /auth/v1/admin/users/:id' },
    ])
  })

  test('of one call says nothing of the next one on the same connection', async () => {
    const users = await Promise.all(Array.from({ length: 24 }, () => server.user('25')))
    await Promise.all(
      users.map(async user => {
        const { id } = await user.client.instances.create(a40({ start: false }))
        await user.client.instances.update({ id, name: 'renamed' })
      }),
    )
    for (const user of users) {
      const own = (await factsOf(user)).filter(({ type }) => type.startsWith('instance.'))
      expect(own.map(({ actor }) => actor)).toEqual(own.map(() => `user:${user.id}`))
      expect(own.length).toBeGreaterThanOrEqual(2)
    }
  })
})
