import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { appendEvent, currentPosition, isBehindSweep } from '../db/events.ts'
import { sweep } from './retention.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely

const age = (table: 'event' | 'idempotency', days: number) => {
  const column = table === 'event' ? 'recorded_at' : 'created_at'
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = now() - ${days} * interval '1 day'`.execute(
    db(),
  )
}

const addFacts = (userId: string, count: number) =>
  inTransaction(db(), tx =>
    appendEvent(
      tx,
      ...Array.from({ length: count }, () => ({
        userId,
        type: 'wallet.updated' as const,
        at: server.services.clock.iso(),
      })),
    ),
  )

async function countTypes(userId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ type: string; count: number }>`
    select type, count(*)::int from event where user_id = ${userId} group by type`.execute(db())
  return Object.fromEntries(rows.map(row => [row.type, row.count]))
}

/** The first `count` events of a stream that resumes after `from`. */
async function resume(user: TestUser, from: string, count: number): Promise<string[]> {
  const response = await server.fetch('/v1/events', { token: user.token, headers: { 'last-event-id': from } })
  const types: string[] = []
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    types.push(...[...chunk.matchAll(/"type":"([^"]+)"/g)].map(match => match[1]!))
    if (types.length >= count) break
  }
  return types
}

test('after a week facts that activity does not show are gone; what it shows stays, word for word', async () => {
  const user = await server.user('25')
  await user.client.instances.create(a40({ start: false }))
  await addFacts(user.id, 5_000)
  const shown = await user.client.activity.usageLogs({})
  expect(shown.items.length).toBeGreaterThan(0)
  await age('event', 8)
  await addFacts(user.id, 3)
  // Several at once: one of them does it, and none undoes what another does.
  await Promise.all([sweep(db(), Date.now()), sweep(db(), Date.now())])
  const { 'wallet.updated': young, ...kept } = await countTypes(user.id)
  expect(young).toBe(3)
  expect(Object.keys(kept)).toEqual(['instance.created'])
  expect(await user.client.activity.usageLogs({})).toEqual(shown)
  await age('event', 6)
  await sweep(db(), Date.now())
  expect((await countTypes(user.id))['wallet.updated']).toBe(3)
})

test('a stream that resumes from before what was deleted is told so; one from after it goes on without a gap', async () => {
  const user = await server.user()
  // An open transaction of another database holds the position back, and what was deleted before lies behind it.
  let from = await currentPosition(db())
  await until(
    async () => isBehindSweep(db(), (from = await currentPosition(db()))),
    isBehind => !isBehind,
    30_000,
  )
  await addFacts(user.id, 2)
  expect(await resume(user, from, 2)).toEqual(['wallet.updated', 'wallet.updated'])
  await age('event', 8)
  const after = await currentPosition(db())
  await sweep(db(), Date.now())
  await addFacts(user.id, 1)
  expect(await resume(user, from, 1)).toEqual(['stream.missed'])
  expect(await resume(user, after, 1)).toEqual(['wallet.updated'])
})

test('the answer under an Idempotency-Key is given for 30 days; after that the key is new', async () => {
  const user = await server.user('25')
  const deploy = async () => {
    const response = await server.fetch('/v1/instances', {
      method: 'POST',
      token: user.token,
      headers: { 'idempotency-key': 'once a month' },
      body: JSON.stringify(a40({ start: false })),
    })
    return ((await response.json()) as { id: string }).id
  }
  const first = await deploy()
  await age('idempotency', 29)
  await sweep(db(), Date.now())
  expect(await deploy()).toBe(first)
  await age('idempotency', 31)
  await sweep(db(), Date.now())
  expect(await deploy()).not.toBe(first)
})
