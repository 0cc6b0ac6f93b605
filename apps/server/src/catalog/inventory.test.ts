/** What drivers tell of their hosts, as it comes, goes and comes back. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listUnpriced } from './hosts.ts'
import { noteInventory } from './inventory.ts'
import { usePlaces } from './test-hosts.ts'

const places = usePlaces()
const { cardsOf, db, deploy, hostOf, hosts, set, start, stock, tell, why } = places

test('a host that has less than is taken gives nothing more and takes nothing away', async () => {
  await tell(hostOf('one', null, { machines: 4 }))
  const boxes = [await deploy(1), await deploy(1), await deploy(1)]
  await tell(hostOf('one', null, { machines: 2 }))
  expect(await hosts()).toMatchObject([{ machines: 2, machines_taken: 3 }])
  expect(await stock()).toMatchObject({ free: 0 })
  await set(boxes[0]!, 'stopped')
  expect(await why(deploy(1))).toBe('taken')
  await set(boxes[1]!, 'stopped')
  await deploy(1)
})

test('a card or host that is gone is not given, what has it keeps it, and it is given again when it is back', async () => {
  const cards = cardsOf('one', 2)
  await tell(hostOf('one', cards), hostOf('two', cardsOf('two', 1)))
  const box = await deploy(2)
  expect(box.cards).toHaveLength(2)
  await tell(hostOf('one', cards.slice(1)), hostOf('two', cardsOf('two', 1)))
  await set(box, 'stopped')
  expect(await stock()).toEqual({ free: 2, largest: 1 })
  expect(await why(start(box, 2))).toBe('taken')
  await tell(hostOf('two', cardsOf('two', 1)))
  expect(await why(start(box, 1))).toBe('away')
  expect(await stock()).toEqual({ free: 1, largest: 1 })
  await tell(hostOf('one', cards), hostOf('two', cardsOf('two', 1)))
  expect(await start(box, 2)).toBe(box.host)
})

test('a card that two drivers tell of is one card; it goes to the other host when the first has it no more', async () => {
  const cards = cardsOf('shared', 1)
  await tell(hostOf('one', cards))
  const box = await deploy(1)
  const first = places.driver()
  places.use(`${first}-b`)
  await tell(hostOf('one', cards))
  expect(await why(deploy(1))).toBe('not_offered')
  await noteInventory(db(), first, [hostOf('one', [])], 1)
  await tell(hostOf('one', cards))
  expect(await why(deploy(1))).toBe('not_offered')
  await set(box, 'terminated')
  await tell(hostOf('one', cards))
  expect((await deploy(1)).cards).toEqual(cards.map(({ uuid }) => uuid))
})

test('a card without a row in the catalogue is shown with its model and not sold; with one it is sold', async () => {
  await tell(hostOf('one', [...cardsOf('x', 2, 'NVIDIA L40S'), ...cardsOf('a', 1, 'NVIDIA A100-SXM4-80GB')]))
  expect(await listUnpriced(db())).toEqual([{ model: 'NVIDIA L40S', memory_gb: 48, cards: 2 }])
  expect(await stock('A100 80GB')).toEqual({ free: 1, largest: 1 })
  expect(await stock('L40S')).toBeUndefined()
  await sql`insert into gpu_type (name, patterns, memory_gb, vcpus, ram_gb, position) values ('L40S', array['^NVIDIA L40S$'], 48, 8, 62, 11)`.execute(
    places.owner(),
  )
  await tell(hostOf('one', [...cardsOf('x', 2, 'NVIDIA L40S'), ...cardsOf('a', 1, 'NVIDIA A100-SXM4-80GB')]))
  expect(await listUnpriced(db())).toEqual([])
  expect(await stock('L40S')).toEqual({ free: 2, largest: 2 })
})

test('two servers that tell at once write one host, and one that tells the same again writes one row', async () => {
  const told = [hostOf('one', cardsOf('one', 8)), hostOf('two', cardsOf('two', 8))]
  await Promise.all(Array.from({ length: 8 }, () => tell(...told)))
  expect(await hosts()).toHaveLength(2)
  const rows = async () =>
    (
      await sql<{ rows: string }>`select md5(string_agg(row, ',' order by row)) as rows from (
        select concat(ctid, xmin) as row from host union all select concat(ctid, xmin) from card union all select concat(ctid, xmin) from card_pool) each`.execute(
        db(),
      )
    ).rows[0]!.rows
  const before = await rows()
  await tell(...told)
  expect(await rows()).toBe(before)
})

test('while others take and give back, an inventory that changes all the time disturbs nobody', async () => {
  const told = (n: number) => [
    hostOf('one', cardsOf('one', 8 - (n % 3))),
    hostOf('two', cardsOf('two', 8), { machines: 20 + n }),
  ]
  await tell(...told(0))
  let isOver = false
  const telling = (async () => {
    for (let n = 1; !isOver; n++) await tell(...told(n))
  })()
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let n = 0; n < 15; n++) await set(await deploy(1), n % 2 ? 'stopped' : 'terminated')
    }),
  )
  isOver = true
  await expect(telling).resolves.toBeUndefined()
})
