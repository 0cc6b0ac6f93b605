import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { mostLookedAt } from '../db/page.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listUsageLogs } from './queries.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely

const facts = ({ id }: TestUser, type: string, message: string, count = 1) =>
  sql`insert into event (user_id, type, data, at)
    select ${id}, ${type}, jsonb_build_object('message', ${message}::text), now() from generate_series(1, ${count})`
const count = ({ id }: TestUser) => sql`select count_facts(array[${id}]::uuid[])`.execute(db())
const summary = async ({ client }: TestUser) => client.activity.summary({})

test('facts are counted once each, also those of a transaction that was open while others were counted', async () => {
  const user = await server.user()
  await facts(user, 'api_key.revealed', 'seen', 3).execute(db())
  const expected = { total: 3, today: 3, instance_events: 0, storage_events: 0 }
  expect(await summary(user)).toEqual(expected)
  await count(user)
  expect(await summary(user)).toEqual(expected)
  await db()
    .transaction()
    .execute(async slow => {
      await facts(user, 'instance.started', 'slow', 2).execute(slow)
      await facts(user, 'instance.stopped', 'fast').execute(db())
      await count(user)
      expect(await summary(user)).toMatchObject({ total: 4, instance_events: 1 })
    })
  for (let n = 0; n < 2; n++) {
    expect(await summary(user)).toMatchObject({ total: 6, instance_events: 3 })
    await count(user)
  }
  // Every transaction of the whole server counts as one that may still write, another database's too.
  const rows = await until(
    async () => {
      await count(user)
      const counted = await sql<{ type: string; count: bigint }>`
        select type, count from fact_count where user_id = ${user.id} order by type`.execute(db())
      return counted.rows
    },
    counted => counted.length === 3,
  )
  expect(rows).toEqual([
    { type: 'api_key.revealed', count: 3n },
    { type: 'instance.started', count: 2n },
    { type: 'instance.stopped', count: 1n },
  ])
})

test('an account that is erased leaves no counts', async () => {
  const user = await server.user()
  await facts(user, 'api_key.revealed', 'seen').execute(db())
  await count(user)
  await sql`select erase_user(${user.id})`.execute(db())
  const { rows } = await sql`
    select user_id from fact_count where user_id = ${user.id} union all select user_id from fact_counted where user_id = ${user.id}`.execute(
    db(),
  )
  expect(rows).toEqual([])
})

test('a search goes on behind what it looked at for one page, and the file holds all that it finds', async () => {
  const user = await server.user()
  await facts(user, 'instance.started', '=needle, the first').execute(db())
  await facts(user, 'api_key.revealed', 'hay', mostLookedAt).execute(db())
  const first = await user.client.activity.usageLogs({ search: 'needle' })
  expect(first.items).toEqual([])
  const { items } = await user.client.activity.usageLogs({ search: 'needle', cursor: first.next_cursor! })
  expect(items.map(({ message }) => message)).toEqual(['=needle, the first'])
  const lines = async (input: Parameters<TestUser['client']['activity']['export']>[0]) =>
    (await (await user.client.activity.export(input)).text()).split('\r\n')
  const found = await lines({ search: 'needle' })
  expect(found).toHaveLength(3)
  expect(found[1]).toMatch(
    /,instance_started,,,0,,0.000000,0.000000,0.000000,"'=needle, the first",system,,$/,
  )
  expect(await lines({})).toHaveLength(mostLookedAt + 3)
})

test('a search repeats no line when facts arrive while a page is read', async () => {
  const user = await server.user()
  await facts(user, 'instance.started', 'the first', 9).execute(db())
  await facts(user, 'instance.started', 'the needle').execute(db())
  await facts(user, 'api_key.revealed', 'hay', mostLookedAt - 2).execute(db())
  const arriving = db().withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await facts(user, 'api_key.revealed', 'just now', 5).execute(db())
      return result
    },
  })
  const first = await listUsageLogs(arriving, user.id, { search: 'needle', limit: 10 })
  const cursor = first.next_cursor!
  const second = await listUsageLogs(db(), user.id, { search: 'needle', limit: 10, cursor })
  expect([...first.items, ...second.items]).toHaveLength(1)
})

test('as JSON it is every line that matches, as the list answers them, and an array also where there is none', async () => {
  const user = await server.user()
  await facts(user, 'instance.started', 'a "quoted", line\n', 2).execute(db())
  await facts(user, 'api_key.revealed', 'hay', 1_500).execute(db())
  const file = await user.client.activity.export({ format: 'json' })
  expect(file).toMatchObject({ fileName: 'activity.json', mediaType: 'application/json' })
  const all = JSON.parse(await (await file.blob()).text()) as { action: string }[]
  expect(all).toHaveLength(1_502)
  const started = JSON.parse(
    await (await (await user.client.activity.export({ format: 'json', kind: 'instance' })).blob()).text(),
  ) as unknown
  expect(started).toEqual((await user.client.activity.usageLogs({ kind: 'instance' })).items)
  const none = await user.client.activity.export({ format: 'json', search: 'needle' })
  expect(await (await none.blob()).text()).toBe('[]\n')
})
