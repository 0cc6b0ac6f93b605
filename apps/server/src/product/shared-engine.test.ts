import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { sharedClock, sharedRecords } from './shared-engine.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const run = (seenAt: number) => ({
  id: 'run',
  startedAt: '2026-11-23T00:00:00Z',
  bootId: 'shared',
  beganAt: 0,
  seenAt,
  isAsked: false,
  end: null,
})

test('of changes that two servers make at once none is lost', async () => {
  const servers = [0, 1].map(() => sharedRecords(database.kysely, 'docker'))
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      servers[n % 2]!.update('machine', async record => {
        const seen = record.run?.seenAt ?? 0
        await sleep(n)
        return { ...record, run: run(seen + 1) }
      }),
    ),
  )
  expect((await one.read('machine')).run).toMatchObject({ seenAt: 10 })
  // Nothing new is nothing written, and another driver has machines of its own.
  expect(await two.update('machine', record => record)).toEqual(await one.read('machine'))
  expect((await sharedRecords(database.kysely, 'docker:eu').read('machine')).run).toBeNull()
})

test('what is kept of a machine goes with it, and by a sweep only when it is old', async () => {
  const records = sharedRecords(database.kysely, 'docker')
  for (const ref of ['young', 'old', 'there'])
    await records.update(ref, record => ({ ...record, run: run(7) }))
  await database.pool.query(
    `update engine_machine set changed_at = now() - interval '11 minutes' where ref in ('old', 'there')`,
  )
  await records.sweep(new Set(['there']))
  const seen = async (ref: string) => (await records.read(ref)).run?.seenAt
  expect([await seen('young'), await seen('old'), await seen('there')]).toEqual([7, undefined, 7])
  await records.remove('young')
  expect(await seen('young')).toBeUndefined()
})

test('the clock is one for all servers, and goes on by itself', async () => {
  const [one, two] = [await sharedClock(database.kysely), await sharedClock(database.kysely)]
  expect(one.id).toBe(two.id)
  expect(Math.abs(one.now() - two.now())).toBeLessThanOrEqual(50)
  expect(Math.abs(one.now() - Date.now())).toBeLessThan(2_000)
  const before = one.now()
  await sleep(60)
  expect(one.now()).toBeGreaterThan(before)
})
