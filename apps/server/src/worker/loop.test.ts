import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openClock } from '../db/clock.ts'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { type LoopNeeds, startLoop, type Work } from './loop.ts'
import type { Running } from './running.ts'
import { openSignals } from './signals.ts'

let database: TestDatabase
let services: LoopNeeds
const loops: Running[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const log = pino({ level: 'silent' })
  services = {
    database,
    log,
    clock: await openClock(database.kysely),
    signals: openSignals(database.url, log),
  }
})
afterEach(async () => {
  await Promise.all(loops.splice(0).map(loop => loop.stop()))
})
afterAll(async () => {
  await services.signals.close()
  await database.close()
})

const run = (perform: Work<'mail'>['perform'], leaseMs?: number) =>
  loops.push(
    startLoop({ table: 'mail', key: 'id', clock: 'real', leaseMs, concurrency: 4, perform }, services),
  )

async function row(): Promise<string> {
  const id = newId()
  await database.kysely
    .insertInto('mail')
    .values({
      id,
      recipient: 'a@example.com',
      subject: 's',
      body_sealed: null,
      sent_at: null,
      last_error: null,
    })
    .execute()
  services.signals.send('mail')
  return id
}
const read = (id: string) =>
  database.kysely.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
async function settled(id: string) {
  while ((await read(id)).due_at !== null) await sleep(5)
  return read(id)
}

test('however many loops there are, each due row is worked on by one at a time and exactly once', async () => {
  const inHand = new Set<string>()
  const done: string[] = []
  const perform: Work<'mail'>['perform'] = async (each, claim) => {
    expect(inHand.has(each.id)).toBe(false)
    inHand.add(each.id)
    await sleep(2)
    inHand.delete(each.id)
    if (await claim.apply(async (_tx, now) => ({ due_at: null, attempts: now.attempts + 1 })))
      done.push(each.id)
  }
  const ids = await Promise.all(Array.from({ length: 60 }, row))
  for (let n = 0; n < 4; n++) run(perform)
  const rows = await Promise.all(ids.map(settled))
  expect(rows.every(each => each.attempts === 1)).toBe(true)
  expect(done.toSorted()).toEqual(ids.toSorted())
})

test('a lease lasts as long as the work does, however long that is', async () => {
  const id = await row()
  let claims = 0
  const perform: Work<'mail'>['perform'] = async (_each, claim) => {
    claims++
    await sleep(700)
    await claim.apply(async () => ({ due_at: null, attempts: 1 }))
  }
  run(perform, 200)
  run(perform, 200)
  await settled(id)
  expect(claims).toBe(1)
})

test('an answer that comes after its lease ran out is dropped; the one who took over is right', async () => {
  const id = await row()
  const late = Promise.withResolvers<boolean>()
  const held = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  run(async (_each, claim) => {
    held.resolve()
    await go.promise
    late.resolve(await claim.apply(async () => ({ due_at: null, attempts: 100 })))
  })
  await held.promise
  // As if this process had stood still for longer than its lease: somebody else has the row now.
  await database.kysely
    .updateTable('mail')
    .set({ lock_token: newId(), lock_expires_at: new Date(0).toISOString() })
    .where('id', '=', id)
    .execute()
  run(async (_each, claim) => {
    await claim.apply(async () => ({ due_at: null, attempts: 1 }))
  })
  expect((await settled(id)).attempts).toBe(1)
  go.resolve()
  expect(await late.promise).toBe(false)
  expect((await read(id)).attempts).toBe(1)
})

test('work that throws is tried again', async () => {
  const id = await row()
  let calls = 0
  run(async (_each, claim) => {
    if (++calls === 1) throw new Error('first time')
    await claim.apply(async () => ({ due_at: null, attempts: calls }))
  })
  expect((await settled(id)).attempts).toBe(2)
})

test('a row that falls due later is taken when it falls due, not at the next slow poll', async () => {
  const id = await row()
  const times: number[] = []
  run(async (_each, claim) => {
    times.push(Date.now())
    await claim.apply(async () => ({
      due_at: times.length === 1 ? new Date(Date.now() + 150).toISOString() : null,
    }))
  })
  await settled(id)
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(149)
  expect(times[1]! - times[0]!).toBeLessThan(1500)
})
