/** Places as rows, on real PostgreSQL: what is given, to whom, and that nothing is given twice. */
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { openClock } from '../db/clock.ts'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { assertPlacesSound } from './audit-places.ts'
import { NoPlace, placeInstance } from './places.ts'
import { type Box, gibibyte, now, usePlaces } from './test-hosts.ts'

const places = usePlaces()
const { cardsOf, db, deploy, hostOf, hosts, set, start, stock, tell, why } = places

test('64 deploys at once on a host with 8 cards: 8 get one each, of their own, and 56 are refused', async () => {
  await tell(hostOf('one', cardsOf('one', 8)))
  const results = await Promise.allSettled(Array.from({ length: 64 }, () => deploy(1)))
  const got = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  expect(got).toHaveLength(8)
  expect(new Set(got.flatMap(({ cards }) => cards)).size).toBe(8)
  const refused = results.filter(result => result.status === 'rejected')
  expect(refused.every(({ reason }) => reason instanceof NoPlace && reason.reason === 'taken')).toBe(true)
})

test('whatever comes and goes at once, no card has two holders and every count is right', async () => {
  const random = (max: number) => Math.floor(Math.random() * max)
  await tell(
    ...[8, 8, 4, 2, 1].map((count, n) =>
      hostOf(`h${n}`, [...cardsOf(`h${n}`, count), ...cardsOf(`t${n}`, 2, 'Tesla T4')], {
        machines: 6,
        cpuCores: 64,
      }),
    ),
  )
  const refusals = new Set<string>()
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const mine: Box[] = []
      for (let step = 0; step < 25; step++) {
        if (mine.length && random(3) === 0)
          await set(mine.splice(random(mine.length), 1)[0]!, random(2) ? 'stopped' : 'terminated')
        else {
          const one = deploy([1, 1, 2, 4, 8][random(5)]!, random(3) ? 'A40' : 'T4')
          await one.then(box => mine.push(box)).catch((error: NoPlace) => refusals.add(error.reason))
        }
      }
    }),
  )
  await assertPlacesSound(db())
  const { rows } = await sql<{ held: number; distinct: number }>`
    select count(card)::int as held, count(distinct card)::int as distinct
    from allocation a join host h on h.id = a.host_id, unnest(a.cards) card where h.driver = ${places.driver()}`.execute(
    db(),
  )
  expect(rows[0]!.held).toBe(rows[0]!.distinct)
  expect([...refusals].every(reason => ['taken', 'size'].includes(reason))).toBe(true)
})

test('the fullest host that fits is taken, so that few are partly used and whole ones stay whole', async () => {
  const count = 40
  await tell(...Array.from({ length: count }, (_, n) => hostOf(`h${n}`, cardsOf(`h${n}`, 8))))
  const first = await deploy(1)
  expect((await deploy(2)).host).toBe(first.host)
  expect((await deploy(8)).host).not.toBe(first.host)
  const sizes = [1, 1, 1, 1, 2, 2, 4]
  let left = 0.75 * count * 8 - 11
  const wishes: number[] = []
  while (left > 0) {
    const size = Math.min(sizes[wishes.length % sizes.length]!, left > 3 ? 4 : 1)
    wishes.push(size)
    left -= size
  }
  const take = async () => {
    for (let size = wishes.pop(); size; size = wishes.pop()) await deploy(size)
  }
  await Promise.all(Array.from({ length: 8 }, take))
  const partly = (await hosts()).filter(({ cards: [cards] }) => cards!.free > 0 && cards!.free < 8)
  expect(partly.length).toBeLessThanOrEqual(8)
  expect(await stock()).toMatchObject({ largest: 8 })
}, 60_000)

test('the schema itself refuses a host more than it has, and a card a second holder', async () => {
  await tell(
    hostOf('one', cardsOf('one', 2), {
      machines: 1,
      cpuCores: 16,
      memoryBytes: 96 * gibibyte,
      diskBytes: 200 * gibibyte,
    }),
  )
  const box = await deploy(1)
  const change = (text: string) => places.pool().query(`${text} where driver = '${places.driver()}'`)
  for (const more of [
    'machines_taken = 2',
    'cpu_cores_taken = 17',
    'memory_gb_taken = 97',
    'disk_gb_taken = 201',
    'machines_taken = -1',
  ])
    await expect(change(`update host set ${more}`), more).rejects.toMatchObject({ code: /IN410|23514/ })
  await expect(
    sql`insert into card_hold values (${box.cards[0]!}, ${newId()})`.execute(db()),
  ).rejects.toMatchObject({ code: '23505' })
  await expect(
    sql`insert into allocation select * from allocation where instance_id = ${box.id}`.execute(db()),
  ).rejects.toMatchObject({ code: '23505' })
})

test('why nothing fits: cards, processors and memory, disk, machines, a type that is not there, a host that is silent', async () => {
  expect(await why(deploy(1))).toBe('away')
  const one = hostOf('one', cardsOf('one', 4), { machines: 2, cpuCores: 20, diskBytes: 400 * gibibyte })
  await tell(one)
  expect(await stock()).toEqual({ free: 2, largest: 2 })
  expect(await why(deploy(1, 'H100'))).toBe('not_offered')
  expect(await why(deploy(8))).toBe('taken')
  expect(await why(deploy(4))).toBe('size')
  expect(await why(deploy(1, 'A40', { storage_gb: 500 }))).toBe('disk')
  const boxes = [await deploy(1), await deploy(1)]
  expect(await why(deploy(1))).toBe('taken')
  expect(await stock()).toEqual({ free: 0, largest: 0 })
  await sql`update driver_inventory set seen_at = now() - interval '3 minutes' where driver = ${places.driver()}`.execute(
    db(),
  )
  await sql`select note_silence()`.execute(db())
  expect(await why(deploy(1))).toBe('away')
  expect(await hosts()).toMatchObject([{ state: 'silent', machines_taken: 2 }])
  await set(boxes[0]!, 'terminated')
  expect(await why(deploy(1))).toBe('away')
  await tell(one)
  await deploy(1)
})

test('the disk of a stopped instance stays counted on its host, a deleted one’s does not, and it starts nowhere else', async () => {
  await tell(
    hostOf('one', cardsOf('one', 1), { diskBytes: 300 * gibibyte }),
    hostOf('two', cardsOf('two', 8)),
  )
  const box = await deploy(1)
  await set(box, 'stopped')
  expect(await hosts()).toMatchObject([{ disk_gb_taken: 140, machines_taken: 0 }, { disk_gb_taken: 0 }])
  const other = await deploy(1)
  expect(other.host).toBe(box.host)
  expect(await why(start(box, 1))).toBe('taken')
  await set(other, 'terminated')
  expect(await start(box, 1)).toBe(box.host)
  await expect(
    sql`update gpu_instances set data_storage_gb = 1000 where id = ${box.id}`.execute(db()),
  ).rejects.toMatchObject({ code: 'IN410' })
  await set(box, 'terminated')
  expect(await hosts()).toMatchObject([{ disk_gb_taken: 0, machines_taken: 0 }, { disk_gb_taken: 0 }])
})

test('who starts again where its disk is gets the cards that it had, where they are free, and others where they are not', async () => {
  await tell(hostOf('one', cardsOf('one', 4)))
  const cardsNow = async ({ id }: Box) => {
    const { rows } = await sql<{ cards: string[] }>`
      select cards from allocation where instance_id = ${id}`.execute(db())
    return rows[0]!.cards.toSorted()
  }
  const [first, second] = [await deploy(2), await deploy(1)]
  await set(first, 'stopped')
  await set(second, 'stopped')
  await start(second, 1)
  expect(await cardsNow(second)).toEqual(second.cards)
  await start(first, 2)
  expect(await cardsNow(first)).toEqual(first.cards.toSorted())
  await set(second, 'stopped')
  await set(first, 'stopped')
  // One of the two that it had is left, and one that nobody has had.
  const others = [await deploy(1), await deploy(1)]
  await start(first, 2)
  const taken = new Set(others.flatMap(({ cards }) => cards))
  const now = await cardsNow(first)
  expect(now.filter(card => taken.has(card))).toEqual([])
  expect(now.filter(card => first.cards.includes(card))).toEqual(first.cards.filter(card => !taken.has(card)))
})

test('a host without cards gives a place to each machine of any type, and one driver with cards sells nothing else', async () => {
  await tell(hostOf('one', null, { machines: 2, cpuCores: 1, memoryBytes: gibibyte }))
  expect(await stock('H100')).toEqual({ free: 2, largest: 8 })
  expect((await deploy(8, 'H100')).cards).toEqual([])
  await deploy(1)
  expect(await why(deploy(1, 'T4'))).toBe('taken')
  await tell(hostOf('one', null, { machines: 9 }), hostOf('two', cardsOf('two', 1)))
  expect((await deploy(1)).cards).toHaveLength(1)
  expect(await why(deploy(1))).toBe('taken')
  expect(await why(deploy(1, 'T4'))).toBe('not_offered')
})

test('a refusal leaves nothing behind, and a transaction that fails gives its place back', async () => {
  await tell(hostOf('one', cardsOf('one', 1)))
  const wish = {
    id: newId(),
    driver: places.driver(),
    region: 'US-East',
    gpu_type: 'A40',
    gpu_count: 1,
    cpu_cores: 8,
    memory_gb: 48,
    storage_gb: 140,
    host_id: null,
  }
  await expect(
    inTransaction(db(), async tx => {
      await placeInstance(tx, wish, now(), null)
      throw new Error('the charge failed')
    }),
  ).rejects.toThrow('the charge failed')
  expect(await stock()).toMatchObject({ free: 1 })
})

test('a client that dies in the middle of its transaction holds nothing, and a place in hand is waited for', async () => {
  await tell(hostOf('one', cardsOf('one', 1)))
  const client = await places.pool().connect()
  await client.query('begin')
  await client.query(`select place_instance($1, $2, 'A40', 1, 8, 48, 140, null, null, now())`, [
    newId(),
    places.driver(),
  ])
  const waiting = deploy(1)
  await new Promise(resolve => setTimeout(resolve, 100))
  ;(client as pg.PoolClient & { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  client.release(true)
  const box = await waiting
  const { rows } = await sql<{
    waited_ms: number
  }>`select waited_ms from allocation where instance_id = ${box.id}`.execute(db())
  expect(rows[0]!.waited_ms).toBeGreaterThan(50)
})

test('what is held for a time lapses with it', async () => {
  const clock = await openClock(db())
  const until = new Date(clock.now() + 60_000).toISOString()
  await tell(hostOf('one', cardsOf('one', 1)))
  const box = await deploy(1, 'A40', { paidUntil: until })
  await set(box, 'stopped')
  await sql`select release_lapsed(${clock.iso()})`.execute(db())
  expect(await why(deploy(1))).toBe('taken')
  await sql`select release_lapsed(${clock.iso(61_000)})`.execute(db())
  await deploy(1)
})
